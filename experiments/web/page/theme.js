/* Runs before the page is drawn, so that a chosen theme does not flash. */
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem("pokerspiel.theme"));
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    const deck = JSON.parse(localStorage.getItem("pokerspiel.deck"));
    document.documentElement.dataset.deck = deck === "two" ? "two" : "four";
  } catch {
    document.documentElement.dataset.deck = "four";
  }
})();
