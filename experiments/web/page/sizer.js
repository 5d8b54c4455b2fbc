/** The size of a bet or raise: slider, number, and buttons for the usual sizes. */

import { el, plain, uniqueId } from "./dom.js";

/** More sizes than these are chosen with the slider, fewer are buttons. */
export const FEW_SIZES = 3;

/**
 * The sizes that the raises among the actions allow: null if they are few enough for buttons,
 * otherwise {min, max, sizes, nameOf(size)}; `sizes` is null where every whole number is allowed.
 */
export function sizesOf(actions) {
  const raises = actions.filter((action) => action.kind === "raise" && action.to !== undefined);
  const span = raises.find((action) => action.max !== undefined);
  if (!span && raises.length <= FEW_SIZES) return null;
  const first = span ?? raises[0];
  const nameOf = (size) => first.name.replace(/\d+$/, String(size));
  if (span) return { min: span.min, max: span.max, sizes: null, nameOf };
  const sizes = raises.map((action) => action.to).sort((a, b) => a - b);
  return { min: sizes[0], max: sizes.at(-1), sizes, nameOf };
}

/** The usual sizes as [label, chips], each once: of the pot after a call. */
export function usualSizes(view, choice) {
  const level = (view.bets?.[view.turn] ?? 0) + view.to_call;
  const pot = (view.pot ?? 0) + view.to_call;
  const wishes = [
    ["Min", choice.min],
    ["½ pot", level + pot / 2],
    ["Pot", level + pot],
    ["Max", choice.max],
  ];
  const seen = new Set();
  return wishes
    .map(([label, size]) => [label, nearest(choice, Math.floor(size))])
    .filter(([, size]) => !seen.has(size) && seen.add(size));
}

/** The allowed size nearest to a wish. */
export function nearest(choice, wish) {
  const size = Math.min(Math.max(Math.round(wish), choice.min), choice.max);
  if (!choice.sizes) return size;
  return choice.sizes.reduce((best, other) =>
    Math.abs(other - wish) < Math.abs(best - wish) ? other : best,
  );
}

/**
 * The control. `onSize(size)` is called whenever the size changes, `onSubmit()` at Enter in the
 * number. Returns a node with `size` and `focusSize()`.
 */
export function createSizer(view, choice, { onSize, onSubmit, unit }) {
  const id = uniqueId("size");
  const steps = choice.sizes ? choice.sizes.length - 1 : null;
  const toSlider = (size) => (choice.sizes ? choice.sizes.indexOf(size) : size);
  const fromSlider = (place) => (choice.sizes ? choice.sizes[place] : place);
  const slider = el("input", {
    type: "range",
    min: steps === null ? choice.min : 0,
    max: steps ?? choice.max,
    step: 1,
    "aria-label": "Size of the bet",
    dataset: { testid: "size-slider" },
    oninput: () => set(fromSlider(Number(slider.value))),
  });
  const number = el("input", {
    type: "number",
    id,
    min: choice.min,
    max: choice.max,
    step: 1,
    inputmode: "numeric",
    "aria-label": `Chips, from ${choice.min} to ${choice.max}`,
    dataset: { testid: "size-number" },
    oninput: () => {
      const wish = Number(number.value);
      if (number.value !== "" && nearest(choice, wish) === wish) set(wish, { typed: true });
    },
    onchange: () => set(nearest(choice, Number(number.value) || choice.min)),
    onkeydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      set(nearest(choice, Number(number.value) || choice.min));
      onSubmit();
    },
  });
  const buttons = usualSizes(view, choice).map(([label, size]) =>
    el(
      "button",
      {
        type: "button",
        class: "size-button",
        dataset: { size },
        onclick: () => set(size),
        "aria-label": `${label}: ${plain(size)}`,
      },
      label,
    ),
  );
  const node = el(
    "div",
    { class: "sizer", role: "group", "aria-label": "Size of the bet" },
    el("div", { class: "size-buttons" }, buttons),
    slider,
    number,
  );

  function set(size, { typed = false } = {}) {
    node.size = size;
    if (!typed) number.value = String(size);
    slider.value = String(toSlider(size));
    slider.setAttribute(
      "aria-valuetext",
      `${plain(size)}${unit ? `, ${plain(size / unit, 1)} big blinds` : ""}`,
    );
    for (const button of buttons)
      button.classList.toggle("is-on", Number(button.dataset.size) === size);
    onSize(size);
  }

  set(choice.min);
  node.focusSize = () => {
    number.focus();
    number.select();
  };
  return node;
}
