(function () {
  "use strict";
  var tools = document.getElementById("rule-tools");
  if (!tools) { return; }
  var search = document.getElementById("rule-search");
  var state = document.getElementById("rule-state");
  var shown = document.getElementById("rules-shown");
  var kinds = Array.prototype.slice.call(document.querySelectorAll("details.rules"));
  function apply() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var total = 0;
    kinds.forEach(function (kind) {
      var name = kind.querySelector("summary strong").textContent.toLowerCase();
      var here = 0;
      kind.querySelectorAll("tr[data-s]").forEach(function (row) {
        var text = words.length ? name + " " + row.textContent.toLowerCase() : "";
        var fits = row.dataset.s.indexOf(state.value) >= 0 &&
          words.every(function (word) { return text.indexOf(word) >= 0; });
        row.hidden = !fits;
        if (fits) { here += 1; }
      });
      kind.hidden = here === 0;
      total += here;
    });
    shown.textContent = total + " shown";
  }
  search.addEventListener("input", apply);
  state.addEventListener("change", apply);
  apply();
}());
