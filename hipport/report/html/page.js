"use strict";
// The filter stands in the address, so that a view of the page can be passed on:
// #severity=blocker,manual&code=HP-WARP-001&q=words
const cards = [...document.querySelectorAll(".finding")];
const texts = cards.map((card) => card.textContent.toLowerCase());
const filter = document.getElementById("filter");
const search = document.getElementById("search");
const code = document.getElementById("code");
const boxes = [...filter.querySelectorAll("[name=severity]")];
const shown = document.getElementById("shown");
const none = document.getElementById("none");

function apply() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const severities = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  let count = 0;
  cards.forEach((card, index) => {
    const fits = severities.has(card.dataset.severity)
      && (!code.value || card.dataset.code === code.value)
      && words.every((word) => texts[index].includes(word));
    card.hidden = !fits;
    count += fits;
  });
  shown.textContent = `${count} of ${cards.length} shown`;
  none.hidden = count > 0;
}

function remember() {
  const address = new URLSearchParams();
  const ticked = boxes.filter((box) => box.checked);
  if (ticked.length < boxes.length) address.set("severity", ticked.map((box) => box.value).join());
  if (code.value) address.set("code", code.value);
  if (search.value) address.set("q", search.value);
  history.replaceState(null, "", `#${String(address).replaceAll("%2C", ",")}`);
}

function recall() {
  const address = new URLSearchParams(location.hash.slice(1));
  const severities = address.get("severity");
  boxes.forEach((box) => { box.checked = severities === null || severities.split(",").includes(box.value); });
  code.value = address.get("code") ?? "";
  search.value = address.get("q") ?? "";
  apply();
  if (location.hash.length > 1) filter.scrollIntoView();
}

filter.addEventListener("input", () => { apply(); remember(); });
filter.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
filter.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", recall);
recall();
