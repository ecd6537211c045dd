// Ops by what they do: a family gives a node its colour when colouring by kind.

// [what the legend calls it, how the names of its ops start, what they contain]; the first that fits
const FAMILIES = {
  product: [
    "Products",
    "linear bilinear mm bmm addmm addbmm baddbmm mv addmv matmul einsum conv1d conv2d conv3d conv_ convolution dot outer addr inner tensordot " +
      "cdist kron multi_dot",
    "",
  ],
  attention: ["Attention", "lstm gru rnn recurrent", "attention"],
  norm: ["Norms", "", "norm dropout"],
  reduce: [
    "Reductions",
    "sum mean prod max$ min$ amax amin std var argmax argmin logsumexp median any all cum softmax log_softmax logsoftmax nll mse l1 kl_div bce " +
      "ctc nansum nanmean",
    "loss entropy pool",
  ],
  index: [
    "Indexing",
    "getitem index gather scatter take select narrow masked where slice sort topk unique search copyslices copy_slices one_hot",
    "embedding",
  ],
  view: [
    "Shapes",
    "view reshape permute transpose flatten unflatten squeeze unsqueeze expand cat concat stack split chunk unbind repeat tile roll flip clone " +
      "contiguous to_ copy detach movedim swap pad broadcast alias as_strided unfold fold pixel diag tri type cast convert hstack vstack meshgrid " +
      "t$ mt$ to$ float$ double$ half$",
    "",
  ],
  create: ["Creation", "zeros ones full empty arange linspace eye tensor$ rand normal uniform bernoulli multinomial scalar", ""],
  pointwise: ["Pointwise", "", ""],
  parameter: ["Parameters"],
  buffer: ["Buffers"],
  input: ["Inputs"],
  output: ["Outputs"],
};
const known = new Map();

function familyOf(node) {
  if (node.kind && node.kind !== "op") return FAMILIES[node.kind] ? node.kind : "pointwise";
  const op = node.op || "";
  if (!known.has(op)) known.set(op, findFamily(op.replace(/_+$/, "").replace(/Backward\d*$/, "").toLowerCase()));
  return known.get(op);
}

function findFamily(op) {
  const begins = word => (word.endsWith("$") ? op === word.slice(0, -1) : op.startsWith(word));
  for (const [name, [, starts, parts]] of Object.entries(FAMILIES)) {
    if (starts && starts.split(" ").some(begins)) return name;
    if (parts && parts.split(" ").some(word => op.includes(word))) return name;
  }
  return "pointwise";
}
