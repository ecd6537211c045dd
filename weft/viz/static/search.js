// Search: ops, modules, parameters, file:line and source text; the best first.

function search(graph, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const item of graph.items) {
    if (!item.box) continue;
    const rate = sum(words.map(word => rating(item, word)));
    if (words.every(word => rating(item, word) > 0)) found.push([rate, item]);
  }
  return found.sort((a, b) => b[0] - a[0] || a[1].n - b[1].n).map(([, item]) => item);
}

// a name itself, its start, a part of it, then paths, lines and source text
function rating(item, word) {
  const title = (item.isNode ? item.title : item.title || "").toLowerCase();
  if (title === word) return 10;
  if (item.failed && item.isNode && word === "failed") return 10;
  if (title.startsWith(word)) return 8;
  if (title.includes(word)) return 6;
  if (item.isNode) {
    if (item.file && `${item.file}:${item.line}`.toLowerCase().endsWith(word) && word.includes(":")) return 9;
    if ((item.op || "").toLowerCase().includes(word)) return 5;
    if (item.module.toLowerCase().includes(word)) return 3;
    if (item.file && `${shortFile(item.file)}:${item.line}`.toLowerCase().includes(word)) return 3;
    return (item.source || "").toLowerCase().includes(word) ? 2 : 0;
  }
  return item.kind.toLowerCase().includes(word) ? 5 : item.path.toLowerCase().includes(word) ? 4 : 0;
}

const SHOWN = 40;

function makeSearch(act) {
  const input = $("query"),
    list = $("results");
  let found = [],
    at = -1;
  const close = () => {
    list.hidden = true;
    put(input, "aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = index => {
    at = clamp(index, 0, Math.min(found.length, SHOWN) - 1);
    [...list.querySelectorAll("[role=option]")].forEach((option, i) => {
      put(option, "aria-selected", String(i === at));
      if (i === at) {
        option.scrollIntoView({ block: "nearest" });
        put(input, "aria-activedescendant", option.id);
      }
    });
  };
  const go = item => {
    close();
    act.goTo(item, true);
  };
  const show = () => {
    const query = input.value.trim();
    found = query && act.graph() ? search(act.graph(), query) : [];
    act.mark(query ? new Set(found) : null);
    if (!query) {
      close();
      return;
    }
    list.replaceChildren(
      ...(found.length
        ? found.slice(0, SHOWN).map((item, i) => option(item, i, go))
        : [element("p", { class: "none" }, `Nothing is called “${query}” here. Try the name of an op, a module, or train.py:41.`)]),
    );
    if (found.length > SHOWN) list.append(element("p", { class: "none" }, `and ${found.length - SHOWN} more`));
    list.hidden = false;
    put(input, "aria-expanded", "true");
    if (found.length) choose(0);
    say(found.length ? plural(found.length, "result") : "nothing found");
  };
  input.addEventListener("input", show);
  input.addEventListener("focus", () => {
    if (input.value.trim()) show();
  });
  input.addEventListener("keydown", event => {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      if (list.hidden) show();
      else choose(at + 1);
    } else if (event.key === "ArrowUp") {
      event.preventDefault();
      choose(at - 1);
    } else if (event.key === "Enter" && found.length && !list.hidden) {
      event.preventDefault();
      go(found[Math.max(at, 0)]);
      $("graph").focus();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      clear();
      $("graph").focus();
    }
  });
  const clear = () => {
    input.value = "";
    close();
    act.mark(null);
    document.body.classList.remove("searching");
  };
  document.addEventListener("pointerdown", event => {
    if (!$("search").contains(event.target)) {
      close();
      document.body.classList.remove("searching");
    }
  });
  return {
    focus: () => {
      document.body.classList.add("searching");
      input.focus();
      input.select();
    },
    clear,
    isActive: () => Boolean(input.value),
  };
}

function option(item, index, go) {
  return element(
    "div",
    { class: "option", role: "option", id: `option-${index}`, "aria-selected": "false", onclick: () => go(item) },
    element("span", { class: `chip ${item.isNode ? "f-" + item.family : "box"}` }),
    element(
      "span",
      { class: "text" },
      element("b", {}, item.isNode ? item.title : boxTitle(item)),
      element("small", {}, item.isNode ? item.module || "outside of modules" : item.path),
    ),
    element("span", { class: "detail" }, item.isNode ? place(item) || inShape(item.shape) : item.kind),
  );
}
