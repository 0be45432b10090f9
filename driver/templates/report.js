"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const steps = all(".steps li");
  const depth = (step) => Number(step.dataset.depth);
  let now = -1;

  // Values that are known at a step: what the steps before it showed, the newest of each name.
  function state(last, kind) {
    const known = new Map();
    steps.slice(0, last + 1).forEach((step, n) => {
      all(kind, step).forEach((v) => {
        const before = known.get(v.dataset.name);
        const changed = n === last && (!before || before.value !== v.dataset.value);
        known.set(v.dataset.name, { value: v.dataset.value, changed });
      });
      if (n < last) known.forEach((v) => { v.changed = false; });
    });
    return known;
  }

  // The lines around one of the source.
  function excerpt(line) {
    const shown = [];
    if (line) {
      const rows = Array.from(line.parentNode.children), at = rows.indexOf(line);
      for (const row of rows.slice(Math.max(0, at - 5), at + 6)) {
        const text = document.createElement("span");
        const number = row.querySelector(".number").textContent;
        text.textContent = `${number.padStart(5)}  ${row.querySelector("code").textContent}`;
        if (row === line) text.className = "at";
        shown.push(text);
      }
    }
    document.getElementById("excerpt").replaceChildren(...shown);
  }

  function show(n) {
    if (!steps.length) return;
    now = Math.max(0, Math.min(steps.length - 1, n));
    all(".now").forEach((e) => e.classList.remove("now"));
    const step = steps[now];
    step.classList.add("now");
    step.scrollIntoView({ block: "nearest" });
    const line = document.getElementById(step.dataset.line);
    if (line) {
      line.classList.add("now");
      const box = line.closest(".file");
      box.scrollTop = line.offsetTop - box.clientHeight / 2;
    }
    excerpt(line);
    document.getElementById("position").textContent = `step ${now + 1} of ${steps.length}`;
    for (const [id, kind] of [["rule-state", ".set"], ["state", ".value"]]) {
      const body = document.getElementById(id), known = rows(state(now, kind));
      body.replaceChildren(...known);
      body.parentNode.hidden = !known.length;
    }
  }

  // Names and values as rows of a table.
  function rows(known) {
    return Array.from(known, ([name, v]) => {
      const row = document.createElement("tr");
      for (const [tag, text] of [["th", name], ["td", v.value]]) {
        const cell = document.createElement(tag);
        cell.textContent = text;
        row.append(cell);
      }
      if (v.changed) row.className = "changed";
      return row;
    });
  }

  // The next step that is not folded away.
  function move(by) {
    let n = now + by;
    while (n > 0 && n < steps.length - 1 && steps[n].hidden) n += by;
    if (steps[n] && !steps[n].hidden) show(n);
  }

  const go = { first: () => show(0), back: () => move(-1), on: () => move(1), last: () => show(steps.length - 1) };
  all("[data-go]").forEach((b) => b.addEventListener("click", go[b.dataset.go]));

  function fold(button, closed) {
    const call = button.closest("li");
    button.setAttribute("aria-expanded", String(!closed));
    button.textContent = closed ? "+" : "−";
    for (let n = steps.indexOf(call) + 1; n < steps.length && depth(steps[n]) > depth(call); n++) {
      steps[n].hidden = closed;
      const inner = steps[n].querySelector(".fold");
      if (inner) { inner.setAttribute("aria-expanded", String(!closed)); inner.textContent = closed ? "+" : "−"; }
    }
  }
  const folds = all(".fold");
  folds.forEach((b) => b.addEventListener("click", () => fold(b, b.getAttribute("aria-expanded") === "true")));
  const every = document.querySelector("[data-fold]");
  if (every) {
    every.hidden = !folds.length;
    every.addEventListener("click", () => {
      const closed = every.textContent.startsWith("Fold");
      folds.forEach((b) => fold(b, closed));
      every.textContent = closed ? "Unfold all calls" : "Fold all calls";
    });
  }
  steps.forEach((step, n) => step.addEventListener("click", (e) => { if (!e.target.closest("button")) show(n); }));

  document.addEventListener("keydown", (e) => {
    if (e.target.matches("input") || e.ctrlKey || e.metaKey || e.altKey || !steps.length) return;
    const key = { ArrowRight: "on", ArrowLeft: "back", Home: "first", End: "last" }[e.key];
    if (key) { e.preventDefault(); go[key](); }
  });

  const search = document.getElementById("search");
  let hits = [], at = -1;
  function find() {
    all(".hit").forEach((e) => e.classList.remove("hit"));
    const words = search.value.toLowerCase();
    const where = words ? all(".steps li:not([hidden]), .code tr") : [];
    hits = where.filter((e) => e.textContent.toLowerCase().includes(words));
    hits.forEach((e) => e.classList.add("hit"));
    at = -1;
    document.getElementById("found").textContent = words ? `${hits.length} found` : "";
  }
  search.addEventListener("input", find);
  search.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" || !hits.length) return;
    at = (at + (e.shiftKey ? hits.length - 1 : 1)) % hits.length;
    hits[at].scrollIntoView({ block: "center" });
    document.getElementById("found").textContent = `${at + 1} of ${hits.length}`;
  });

  all(".search, .controls, .follow, .fold").forEach((e) => { e.hidden = false; });
  if (steps.length) show(0);
})();
