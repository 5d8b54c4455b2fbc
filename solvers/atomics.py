"""What threads that share arrays need: atomic steps, a meeting point, and prefetching."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from pokerspiel.games.compiled import kernel

_PATIENCE = 300
"""Looks at the gate before a waiting thread lets others have its processor."""


def _item_pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Pointer to element args[1] of the array args[0]."""
    array_type = signature.args[0]
    array = context.make_array(array_type)(context, builder, args[0])
    return cgutils.get_item_pointer(
        context, builder, array_type, array, [args[1]], wraparound=False
    )


@intrinsic
def atomic_add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index] += value in one step; gives the number before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _item_pointer(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, args[2], "acq_rel")

    return array.dtype(array, types.intp, array.dtype), codegen


@intrinsic
def atomic_load(typing_context: Any, array: Any, index: Any) -> Any:
    """array[index], read from memory even in a loop that never writes it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _item_pointer(context, builder, signature, args)
        return builder.load_atomic(pointer, "acquire", 8)

    return array.dtype(array, types.intp), codegen


@intrinsic
def compare_and_swap(typing_context: Any, array: Any, index: Any, old: Any, new: Any) -> Any:
    """Write `new` to array[index] if it holds `old`, in one step; gives what it held."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _item_pointer(context, builder, signature, args)
        result = builder.cmpxchg(pointer, args[2], args[3], "acq_rel", "monotonic")
        return builder.extract_value(result, 0)

    return array.dtype(array, types.intp, array.dtype, array.dtype), codegen


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask the processor to bring array[index] into its caches; any index will do."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte_pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        pointer = builder.bitcast(_item_pointer(context, builder, signature, args), byte_pointer)
        function_type = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte_pointer], function_type)
        to_read, keep, data = number(0), number(3), number(1)
        builder.call(function, [pointer, to_read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


_give_way = types.ExternalFunction("sched_yield", types.int32())
"""The system's call that lets another thread run."""


@kernel
def meet(gate: Any, threads: int, meetings: int) -> None:
    """Wait until all threads have come here; `meetings` counts the times, this one included.

    What a thread has written before is seen by all of them afterwards.
    """
    atomic_add(gate, 0, 1)
    looks = 0
    while atomic_load(gate, 0) < threads * meetings:
        looks += 1
        if looks > _PATIENCE:
            _give_way()
