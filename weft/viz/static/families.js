// Ops by what they do: a family gives a node its colour when colouring by kind.

// what the legend calls them
const FAMILIES = {
  product: "Products",
  attention: "Attention",
  norm: "Norms",
  reduce: "Reductions",
  index: "Indexing",
  view: "Shapes",
  create: "Creation",
  pointwise: "Pointwise",
  parameter: "Parameters",
  buffer: "Buffers",
  input: "Inputs",
  output: "Outputs",
};
// the kinds of ops (Op.kind, which a graph's document tells of each node) that are not called as their family is
const FAMILY_OF = {
  linalg: "product",
  linear: "product",
  sparse: "product",
  conv: "product",
  fft: "product",
  similarity: "product",
  recurrent: "attention",
  dropout: "norm",
  loss: "reduce",
  ctc: "reduce",
  pool: "reduce",
  softmax: "reduce",
  embedding: "index",
  shape: "view",
  blocks: "view",
  interpolate: "view",
  grid: "view",
  resample: "view",
  random: "create",
  activation: "pointwise",
  lists: "pointwise",
  optim: "pointwise",
};

function familyOf(node) {
  const kind = node.kind === "op" ? FAMILY_OF[node.family] || node.family : node.kind;
  return FAMILIES[kind] ? kind : "pointwise";
}
