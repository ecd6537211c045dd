// Ops by what they do: a family gives a node its colour when colouring by kind.

const FAMILIES = {
  product: ["Products", /^(linear|bilinear|(add|b?add)?b?mm|(add)?mv|addb?mm|matmul|einsum|conv|conv_?transpose|dot|outer|addr|inner|tensordot|cdist|kron|multi_dot)|^conv/],
  attention: ["Attention", /attention|^(lstm|gru|rnn|recurrent)/],
  norm: ["Norms", /norm|dropout/],
  reduce: ["Reductions", /loss|entropy|^(sum|mean|prod|n?a?max|n?a?min|amax|amin|std|var|argm|logsumexp|median|any|all|cum|log_?softmax|softmax|nll|mse|l1|kl_div|bce|ctc|nan(sum|mean))|pool/],
  index: ["Indexing", /embedding|^(getitem|index|gather|scatter|take|select|narrow|masked|where|slice|sort|topk|unique|search|copyslices|copy_slices|one_hot)/i],
  view: ["Shapes", /^(view|reshape|permute|transpose|t$|mt$|flatten|unflatten|squeeze|unsqueeze|expand|cat|concat|stack|split|chunk|unbind|repeat|tile|roll|flip|clone|contiguous|to$|to_|copy|detach|movedim|swap|pad|broadcast|alias|as_strided|unfold|fold|pixel|diag|tri[lu]|float$|double$|half$|type|cast|convert|hstack|vstack|meshgrid)/],
  create: ["Creation", /^(zeros|ones|full|empty|arange|linspace|eye|tensor$|rand|normal|bernoulli|multinomial|scalar)/],
  pointwise: ["Pointwise", /./],
  parameter: ["Parameters", null],
  buffer: ["Buffers", null],
  input: ["Inputs", null],
  output: ["Outputs", null],
};
const known = new Map();

function familyOf(node) {
  if (node.kind && node.kind !== "op") return FAMILIES[node.kind] ? node.kind : "pointwise";
  const op = node.op || "";
  let found = known.get(op);
  if (!found) {
    const plain = op.replace(/_+$/, "").replace(/Backward\d*$/, "").toLowerCase();
    found = Object.keys(FAMILIES).find(name => FAMILIES[name][1] && FAMILIES[name][1].test(plain)) || "pointwise";
    known.set(op, found);
  }
  return found;
}
