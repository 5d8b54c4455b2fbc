"""Vectors of four or eight numbers for the innermost loops.

A compiler turns a loop over arrays into vector code only after proving, each time the loop is
entered, that its arrays do not overlap; for the short loops of small games that takes longer than
the work. Here the vectors are said outright: `load` takes neighbouring numbers of an array, the
operators + - * / work on all of them, `store` puts them back. `like` is any vector of the size that
is wanted, such as `eight(0.0)`. Indices are not checked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

_FLAGS = ("nsz", "contract", "arcp")
"""Products and sums may be fused, which is as exact and faster."""


class Vector(types.Type):  # type: ignore[misc]
    """The numba type of `size` float64."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(name=f"Vector({size})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.DoubleType(), kind.size))


FOUR, EIGHT = Vector(4), Vector(8)


def _splat(builder: Any, value: Any, size: int) -> Any:
    """A vector of `size` times the same number."""
    vector = ir.Constant(ir.VectorType(ir.DoubleType(), size), ir.Undefined)
    vector = builder.insert_element(vector, value, ir.IntType(32)(0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), size), None)
    return builder.shuffle_vector(vector, vector, mask)


@intrinsic
def four(typing_context: Any, value: Any) -> Any:
    """Four times `value`."""
    return FOUR(types.float64), lambda c, builder, s, args: _splat(builder, args[0], 4)


@intrinsic
def eight(typing_context: Any, value: Any) -> Any:
    """Eight times `value`."""
    return EIGHT(types.float64), lambda c, builder, s, args: _splat(builder, args[0], 8)


@intrinsic
def splat(typing_context: Any, value: Any, like: Any) -> Any:
    """A vector of the same number."""
    return like(types.float64, like), lambda c, builder, s, args: _splat(
        builder, args[0], like.size
    )


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    made = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, made, [index], wraparound=False)


def _vector_pointer(context: Any, builder: Any, signature: Any, args: Any, size: int) -> Any:
    pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
    kind = ir.VectorType(ir.DoubleType(), size).as_pointer()
    return builder.bitcast(pointer, kind)


@intrinsic
def load(typing_context: Any, array: Any, index: Any, like: Any) -> Any:
    """The numbers of `array` from `index` on."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _vector_pointer(context, builder, signature, args, like.size)
        return builder.load(pointer, align=8)

    return like(array, types.uintp, like), codegen


@intrinsic
def store(typing_context: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write a vector to `array` from `index` on."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _vector_pointer(context, builder, signature, args, vector.size)
        builder.store(args[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.uintp, vector), codegen


@intrinsic
def transpose(typing_context: Any, source: Any, at: Any, target: Any, to: Any) -> Any:
    """Write 8 x 8 numbers of `source`, from `at` on, to `target`, from `to` on, rows as columns."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.VectorType(ir.DoubleType(), 8).as_pointer()

        def pointer(array_type: Any, array: Any, start: Any, row: int) -> Any:
            index = builder.add(start, ir.IntType(64)(8 * row))
            return builder.bitcast(_pointer(context, builder, array_type, array, index), kind)

        rows = [
            builder.load(pointer(signature.args[0], args[0], args[1], row), align=8)
            for row in range(8)
        ]
        for step in (1, 2, 4):
            # Exchange the off-diagonal blocks of `step` numbers between rows `step` apart.
            number = ir.VectorType(ir.IntType(32), 8)
            upper = [k if not k & step else 8 + (k ^ step) for k in range(8)]
            lower = [k ^ step if not k & step else 8 + k for k in range(8)]
            for row in range(8):
                if not row & step:
                    a, b = rows[row], rows[row | step]
                    rows[row] = builder.shuffle_vector(a, b, ir.Constant(number, upper))
                    rows[row | step] = builder.shuffle_vector(a, b, ir.Constant(number, lower))
        for row in range(8):
            to = pointer(signature.args[2], args[2], args[3], row)
            builder.store(rows[row], to, align=8)
        return context.get_dummy_value()

    return types.void(source, types.uintp, target, types.uintp), codegen


@intrinsic
def store_first(typing_context: Any, array: Any, index: Any, vector: Any, count: Any) -> Any:
    """Write the first `count` numbers of a vector to `array` from `index` on."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = vector.size
        pointer = _vector_pointer(context, builder, signature, args, size)
        number, flags = ir.IntType(32), ir.VectorType(ir.IntType(1), size)
        order = ir.Constant(ir.VectorType(number, size), list(range(size)))
        limit = ir.Constant(ir.VectorType(number, size), ir.Undefined)
        limit = builder.insert_element(limit, builder.trunc(args[3], number), number(0))
        limit = builder.shuffle_vector(limit, limit, ir.Constant(order.type, None))
        mask = builder.icmp_signed("<", order, limit)
        kind = ir.FunctionType(ir.VoidType(), [args[2].type, pointer.type, number, flags])
        function = cgutils.get_or_insert_function(
            builder.module, kind, f"llvm.masked.store.v{size}f64.p0"
        )
        builder.call(function, [args[2], pointer, number(8), mask])
        return context.get_dummy_value()

    return types.void(array, types.uintp, vector, types.intp), codegen


def _indices(context: Any, builder: Any, signature: Any, args: Any, size: int) -> list[Any]:
    """The indices places[at] to places[at + size - 1], for args[0:3] = (array, places, at)."""
    found = []
    for k in range(size):
        at = builder.add(args[2], ir.IntType(64)(k))
        place = builder.load(_pointer(context, builder, signature.args[1], args[1], at))
        found.append(builder.zext(place, ir.IntType(64)))
    return found


@intrinsic
def gather(typing_context: Any, array: Any, places: Any, at: Any, like: Any) -> Any:
    """The numbers of `array` at places[at], places[at + 1] ...; `places` is a uint32 array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = ir.Constant(ir.VectorType(ir.DoubleType(), like.size), ir.Undefined)
        for k, index in enumerate(_indices(context, builder, signature, args, like.size)):
            value = builder.load(_pointer(context, builder, array, args[0], index))
            vector = builder.insert_element(vector, value, ir.IntType(32)(k))
        return vector

    return like(array, places, types.uintp, like), codegen


@intrinsic
def scatter_add(typing_context: Any, array: Any, places: Any, at: Any, vector: Any) -> Any:
    """Add the numbers of a vector to `array` at places[at], places[at + 1] ..., one by one."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        for k, index in enumerate(_indices(context, builder, signature, args, vector.size)):
            pointer = _pointer(context, builder, array, args[0], index)
            more = builder.extract_element(args[3], ir.IntType(32)(k))
            builder.store(builder.fadd(builder.load(pointer), more), pointer)
        return context.get_dummy_value()

    return types.void(array, places, types.uintp, vector), codegen


@intrinsic
def sum_of(typing_context: Any, vector: Any) -> Any:
    """The sum of the numbers of a vector, by halves."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        half, total = vector.size, args[0]
        while half > 1:
            half //= 2
            order = [k + half if k < half else 0 for k in range(vector.size)]
            mask = ir.Constant(ir.VectorType(ir.IntType(32), vector.size), order)
            total = builder.fadd(total, builder.shuffle_vector(total, total, mask))
        return builder.extract_element(total, ir.IntType(32)(0))

    return types.float64(vector), codegen


@intrinsic
def larger(typing_context: Any, a: Any, b: Any) -> Any:
    """The larger of each pair of numbers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])

    return a(a, b), codegen


@intrinsic
def where_positive(typing_context: Any, test: Any, then: Any, otherwise: Any) -> Any:
    """`then` where `test` is above zero, else `otherwise`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(args[0].type, [0.0] * test.size)
        return builder.select(builder.fcmp_ordered(">", args[0], zero), args[1], args[2])

    return then(test, then, otherwise), codegen


def _define(symbol: Callable[[Any, Any], Any], instruction: str) -> None:
    """Let an operator of Python work on two vectors of the same size."""

    @intrinsic
    def apply(typing_context: Any, a: Any, b: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args, flags=_FLAGS)

        return a(a, b), codegen

    @overload(symbol, strict=False)
    def of_vectors(a: Any, b: Any) -> Any:
        if isinstance(a, Vector) and a == b:
            return lambda a, b: apply(a, b)
        return None


_define(operator.add, "fadd")
_define(operator.sub, "fsub")
_define(operator.mul, "fmul")
_define(operator.truediv, "fdiv")
