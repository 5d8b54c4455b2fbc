#!/usr/bin/env node
// The same bot as bot.py: raises good hands, calls fair ones, draws to its pairs.
const readline = require("readline");

function choose(view) {
  const alone = view.cards.filter((card) => view.cards.filter((c) => c[0] === card[0]).length === 1);
  const draw = view.phase === "draw" && view.actions.find((action) =>
    action.cards.length === alone.length && alone.every((card) => action.cards.includes(card)));
  if (draw) return draw.name;
  const good = "points" in view ? view.points >= 21 : alone.length <= 2;
  const fair = "points" in view ? view.points >= 15 : alone.length <= 3;
  let wishes = ["look", "discard", "keep", "fold", "decline", "raise"];
  if (good || fair || view.to_call === 0) wishes = ["look", good ? "raise" : "call", "call", ...wishes];
  const wanted = wishes.find((kind) => view.actions.some((action) => action.kind === kind));
  return view.actions.find((action) => action.kind === wanted).name;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "act") console.log(JSON.stringify({ action: choose(message) }));
});
