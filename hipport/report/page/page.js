"use strict";
const cards = [...document.querySelectorAll(".finding")];
const texts = cards.map((card) => card.textContent.toLowerCase());
const filter = document.getElementById("filter");
const search = document.getElementById("search");
const code = document.getElementById("code");
const shown = document.getElementById("shown");
const none = document.getElementById("none");

function apply() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const severities = new Set([...filter.querySelectorAll("[name=severity]:checked")].map((box) => box.value));
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

filter.addEventListener("input", apply);
filter.addEventListener("submit", (event) => event.preventDefault());
apply();
