"""Sparse tensors beside PyTorch's: every expression in both libraries."""
import copy
import io

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")


def names_of(lib):
    """What the expressions are made of: S is in order, U isn't and has a place twice, H is hybrid, C, K are by rows and
    columns, B has blocks, D, E, v are dense."""
    i = lib.tensor([[0, 1, 1], [2, 0, 2]])
    found = {"lib": lib, "F": lib.nn.functional, "i": i, "S": lib.sparse_coo_tensor(i, [3.0, 4.0, -5.0], (2, 3))}
    found["U"] = lib.sparse_coo_tensor([[0, 1, 1, 0], [2, 2, 0, 2]], [1.0, -2.0, 3.0, 4.0], (2, 3))
    found["H"] = lib.sparse_coo_tensor([[1, 0, 1], [2, 0, 2]], lib.arange(6.0).reshape(3, 2), (2, 3, 2))
    found["T"] = lib.tensor([[[1.0, 0], [0, 2]], [[0, 3], [4, 0]]]).to_sparse()
    found["D"] = lib.arange(6.0).reshape(2, 3) - 2
    found["E"] = lib.tensor([[1.0, -1, 2], [0.5, 0, 3], [2, 2, 0]])
    found["v"] = lib.tensor([1.0, -2.0, 0.5])
    found["C"], found["K"] = found["S"].to_sparse_csr(), found["S"].to_sparse_csc()
    found["Q"] = found["E"].to_sparse_csr()
    found["B"] = lib.eye(4).to_sparse_bsr((2, 2))
    return found


def outcome(lib, text):
    try:
        return eval(text, names_of(lib))
    except Exception as error:
        return error


def dense(t):
    return t.to_dense() if isinstance(t, (weft.Tensor, torch.Tensor)) else t


def compare(ours, theirs, text=""):
    assert not isinstance(ours, Exception) and not isinstance(theirs, Exception), f"{text}: {ours!r}, {theirs!r}"
    if isinstance(theirs, (list, tuple)) and not isinstance(theirs, torch.Size):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            compare(a, b, text)
    elif isinstance(theirs, torch.Tensor):
        assert str(ours.layout) == str(theirs.layout) and str(ours.dtype) == str(theirs.dtype), text
        assert tuple(ours.shape) == tuple(theirs.shape), text
        np.testing.assert_allclose(dense(ours).detach().numpy(), dense(theirs).detach().numpy(), rtol=1e-5, atol=1e-6,
                                   err_msg=text)
    else:
        assert str(ours) == str(theirs), text


VALUES = """D+S|D-S|D+C|C+D|S+S|S+U|U+U|U-S|C+C|S*D|D*S|S*2|2*S|U*2|S/2|U/4|S*S|S*U|U*U|C*2|C*D|C*C|-S|-U|-C
S*lib.tensor(3.0)|lib.tensor(3.0)*S|S.add(U,alpha=2)|lib.add(D,S,alpha=3)|lib.sub(D,U,alpha=2)|S.sub(S,alpha=2)|U**2|S.pow(3)
S[0]|S[:,1]|U[0]|U[1,2]|U[0,2]|H[1]|H[1,2]|H[...,0]|H[0,:,1]|S[-1]|C[0]|C[:,1]|C[0,2]|S[None].shape|H[:,2,0]|T[1]|T[1,0]|T[1,0,0]
S.select(0,1)|U.select(1,2)|S.index_select(0,lib.tensor([1,0]))|S.index_select(1,lib.tensor([2,0,2]))|U.index_select(0,lib.tensor([1,1]))
H.index_select(2,lib.tensor([1]))|list(S)|len(S)|S.sum()|U.sum()|S.sum(0)|U.sum(1)|S.sum(1,keepdim=True)|S.sum(dim=(0,1))|lib.sum(S,dim=-1)
lib.sparse.sum(U)|lib.sparse.sum(U,0)|lib.sparse.sum(U,dim=[1])|lib.sparse.sum(U,(0,1))|lib.sparse.sum(U,0,dtype=lib.float64)
lib.sparse.sum(H,2)|lib.sparse.sum(H,(0,2))|lib.sparse.sum(H,-1)|lib.sparse.sum(H,(0,1))|C.sum()|C.sum(0,keepdim=True)|C.sum(1,keepdim=True)
S.t()|S.clone().t_()|C.t()|K.t()|C.transpose(0,1)|S.transpose(0,1)|S.permute(1,0)|S.T|S.mT|H.transpose(0,1)|T.permute(2,0,1)|T.transpose(-1,0)
S.abs().sqrt()|S.relu()|U.relu()|U.abs()|U.neg()|C.relu()|C.sin()|U.tanh()|S.sign()|U.log1p()|S.isnan()|S.ceil()|U.square()|S.expm1()
S.norm()|U.norm()|S.any()|S.float()|S.double()|S.to(lib.float64)|S.bool()|S.half()|S.int()|S.to('cpu')|S.cpu()|C.double()|S.type()|S.to(D.double())
S.numel()|S.size()|S.size(0)|S.stride()|S.is_contiguous()|S.dim()|S.shape|S.unsqueeze(0)|S.unsqueeze(-1)|H.unsqueeze(3)
lib.cat([S,S])|lib.cat([S,U],1)|lib.stack([S,U])|lib.zeros_like(S)|lib.empty_like(S)|S.new_zeros(2,2)|S.new_tensor([1.0])
S.coalesce().values()|S.coalesce().indices()|U.coalesce().values()|U.coalesce().indices()|S._values()|S._indices()|U._nnz()|C._nnz()
C.crow_indices()|C.col_indices()|C.values()|K.ccol_indices()|K.row_indices()|S.sparse_dim()|H.dense_dim()|C.sparse_dim()|C.dense_dim()|B.values()
S.is_coalesced()|U.coalesce().is_coalesced()|S.is_sparse|C.is_sparse|C.is_sparse_csr|K.is_sparse_csr|D.is_sparse|S.layout|K.layout|D.layout
S.clone().mul_(2)|S.clone().add_(U)|D.clone().add_(S)|D.clone().add_(U,alpha=2)|D.clone().sub_(U)|S.clone().div_(2)|S.clone().neg_()|D.clone().mul_(S)
D.t().clone().t().add_(U)|S.clone().zero_()|C.clone().zero_().to_dense()|S.clone().copy_(U)|S.clone().sparse_resize_((4,3),2,0)
lib.mm(S,E)|lib.mm(U,E)|lib.mm(C,E)|lib.mm(K,E)|lib.mm(D.t(),S)|D.t()@U|D.t()@C|lib.mm(U,U.t())|S@v|lib.mv(U,v)|lib.mv(C,v)|v[:2]@S|v[:2]@C|S@E.t()
lib.bmm(T,lib.ones(2,2,3))|lib.sparse.mm(S,E)|lib.sparse.mm(U,E)|lib.sparse.mm(E,S.t())|lib.sparse.mm(U,S.t())|lib.sparse.mm(C,Q)
lib.sparse.mm(C,E,'sum')|lib.sparse.mm(C,E,'mean')|lib.sparse.mm(C,E,reduce='amax')|lib.sparse.mm(C,E,reduce='amin')|lib.sparse.mm(E,E)
lib.spmm(S,E)|lib.dsmm(S,E)|lib.addmm(E[:2],S,E)|lib.addmm(v,U,E,beta=2)|lib.sparse.addmm(E[:2],S,E,beta=2,alpha=3)|F.linear(E,S)
lib.sparse.softmax(S,1)|lib.sparse.log_softmax(S,0)|lib.sparse.softmax(U,1)|lib.sparse.softmax(H,2)|lib.sparse.softmax(H,0)|lib.sparse.log_softmax(T,1)
lib.sparse.softmax(S,dim=1,dtype=lib.float64)|lib.sparse.spdiags(lib.arange(9.0).reshape(3,3),lib.tensor([0,1,-1]),(3,3))
lib.sparse.spdiags(lib.arange(9.0).reshape(3,3),lib.tensor([0,1,-1]),(2,5))|lib.sparse.spdiags(lib.arange(3.0),lib.tensor([0]),(3,3),layout=lib.sparse_csr)
lib.sparse.sampled_addmm(C,lib.ones(2,2),D)|lib.sparse.sampled_addmm(C,D,E,beta=0.5,alpha=2)|D.sparse_mask(S.coalesce())|D.sparse_mask(U)|D.sparse_mask(C)
U.sparse_mask(S)|S.sparse_mask(U)|D.to_sparse()|D.to_sparse(1)|D.to_sparse(layout=lib.sparse_csr)|D.to_sparse_csr()|D.to_sparse_csc()|D.to_sparse_coo()
B.to_dense()|lib.eye(4).to_sparse_bsc((2,2))|B.to_sparse()|B@lib.ones(4,2)|B.t()
C.to_sparse()|K.to_sparse()|K.to_sparse_csr()|C.to_sparse_csc()|S.to_sparse_csr()|U.to_sparse_csr()|U.to_sparse_csc()|S.to_sparse() is S|U.to_dense()
lib.ones(3,4,5).to_sparse_csr()|lib.ones(3,4,5).to_sparse(2)|lib.ones(3,4,5).to_sparse_csr(dense_dim=1)|lib.tensor(3.0).to_sparse()|lib.zeros(0,3).to_sparse()
lib.zeros(2,3).to_sparse()@E|lib.zeros(2,0).to_sparse()@lib.ones(0,2)|lib.sparse.mm(lib.zeros(2,3).to_sparse(),lib.zeros(3,3).to_sparse())
lib.sparse_coo_tensor(i,[1.0,2,3])|lib.sparse_coo_tensor(size=(2,3))|lib.sparse_coo_tensor((2,3))|lib.sparse_coo_tensor([[0,1]],[1,2])
lib.sparse_coo_tensor([[0.5,1]],[1.0,2.0],[2])|lib.sparse_coo_tensor(i,[True,True,False],(2,3))|lib.sparse_coo_tensor(i,[1j,2,3],(2,3))@E.to(lib.complex64)
lib.sparse_coo_tensor(i,[1.5,2,3],(2,3),dtype=lib.int64)|lib.sparse_coo_tensor(i,[1,2,3],(2,3))@lib.ones(3,2,dtype=lib.int64)
lib.eye(2)+lib.sparse_coo_tensor([[0],[1]],[1],(2,2))|lib.sparse_csr_tensor([0,1,2],[0,1],[1.0,2])|lib.sparse_csr_tensor(lib.tensor([0,1,2],dtype=lib.int32),lib.tensor([0,1],dtype=lib.int32),lib.ones(2),(2,2))@lib.eye(2)
lib.sparse_csc_tensor([0,1,2],[0,1],[1.0,2],(2,2))|lib.sparse_compressed_tensor([0,1,2],[0,1],[1.0,2],(2,2),layout=lib.sparse_csc)
lib.sparse_bsr_tensor([0,1,2],[0,1],lib.ones(2,2,2),(4,4))|lib.sparse_csr_tensor([[0,1],[0,1]],[[1],[0]],[[3.0],[4.0]],(2,1,2))
lib.zeros(2,3,layout=lib.sparse_coo)|lib.sparse.FloatTensor(i,lib.ones(3),lib.Size([2,3]))|lib.sparse.FloatTensor(2,3)|isinstance(S,lib.sparse.FloatTensor)
isinstance(D,lib.sparse.FloatTensor)|lib.is_tensor(S)|S.requires_grad|S.is_leaf|lib.result_type(S,D)|S.item if False else 1|lib.sparse.check_sparse_tensor_invariants.is_enabled()
lib.sparse_coo_tensor([[0]],[5.0],(1,)).item()|bool(lib.sparse_coo_tensor([[0]],[5.0],(1,)))|S.is_complex()|H.coalesce()|H@lib.ones(1) if False else 1"""


@pytest.mark.parametrize("line", VALUES.split("\n"), ids=range(VALUES.count("\n") + 1))
def test_values(line):
    for text in line.split("|"):
        compare(outcome(weft, text), outcome(torch, text), text)


TEXTS = """S|U|H|C|K|B|S.coalesce()|S.double()|C.double()|lib.sparse_coo_tensor(i,lib.ones(3,2),(2,3,2),requires_grad=True)
lib.sparse_coo_tensor(lib.arange(3000)[None],lib.arange(3000.0))|lib.zeros(2,3).to_sparse()|lib.sparse_coo_tensor(size=(2,3),dtype=lib.int64)
lib.sparse_coo_tensor(i,[True,True,False],(2,3))|lib.sparse_coo_tensor(i,[1j,2,3],(2,3))|S.half()|lib.sparse_coo_tensor([[0,1]],[1,2])
lib.nn.Parameter(S)|lib.sparse_coo_tensor(i,lib.rand(3,20).round()*1000,(2,3,20))|lib.zeros(2,3).to_sparse_csr()|T"""


@pytest.mark.parametrize("line", TEXTS.split("\n"), ids=range(TEXTS.count("\n") + 1))
def test_texts(line):
    for text in line.split("|"):
        for lib in (weft, torch):
            lib.manual_seed(0)
        assert repr(outcome(weft, text)) == repr(outcome(torch, text)), text


ERRORS = """S+D|S-D|S+1|1+S|1-S|S/D|D/S|S[5]|C.sum(0)|lib.sparse.sum(C)|S.mean()|H.transpose(1,2)|S.exp()|C.exp()|S==S|S.contiguous()|S.view(3,2)
S.reshape(3,2)|lib.ones_like(S)|lib.rand_like(S)|S.nonzero()|S.max()|S.argmax()|lib.equal(S,S)|lib.allclose(S,S)|S.numpy()|S.tolist()|S.item()
bool(S)|S.values()|S.indices()|C.indices()|S.crow_indices()|C._indices()|S.clone().add_(D)|lib.matmul(S,lib.ones(4,3,2))|lib.sparse.mm(S,E,'sum')|lib.mm(S,D)
lib.mm(S,E.double())|lib.softmax(S,1)|S.to_sparse(1)|S.index_add(0,lib.tensor([0]),D[:1])|S.trace()|lib.diag(S)|S.repeat(1,2)|S.expand(2,2,3)|S.flip(0)
lib.einsum('ij,jk',S,E)|F.dropout(S,0.5)|S.cos()|D.clone().copy_(S)|S.clone().copy_(D)|D.coalesce()|D.values()|D.is_coalesced()|D._nnz()|D.crow_indices()
lib.sparse_coo_tensor([[0],[-1]],[1.0])|lib.sparse_coo_tensor([[0,1],[1,1]],[1.0],[2,2])|lib.sparse_coo_tensor([0,1],[1.0,2.0],[2])
lib.sparse_coo_tensor([[0,1],[1,1]],[1.0,1],[2])|lib.sparse_coo_tensor([[0,0]],[1.0,2],(2,),is_coalesced=True,check_invariants=True)
lib.sparse_coo_tensor([[5,0]],[1.0,2],(2,),check_invariants=True)|lib.sparse_csr_tensor([0,1,3],[0,1],[1.0,2],(2,2),check_invariants=True)
lib.sparse_csr_tensor([0,1,2],[0,7],[1.0,2],(2,2),check_invariants=True)|lib.sparse_csr_tensor([0,2,2],[1,0],[1.0,2],(2,2),check_invariants=True)
lib.sparse_csr_tensor([0,1,2],[0,1],[1.0,2,3],(2,2),check_invariants=True)|lib.sparse_csr_tensor([0,1,2],[0,1],[1.0,2],(3,2),check_invariants=True)
lib.sparse_csr_tensor([0,1,2],[0.0,1],[1.0,2],(2,2),check_invariants=True)|lib.sparse_csr_tensor([1,1,2],[0,1],[1.0,2],(2,2),check_invariants=True)
lib.sparse_compressed_tensor([0,1,2],[0,1],[1.0,2],(2,2),layout=lib.sparse_coo)|lib.tensor([1,2],layout=lib.sparse_coo)|lib.ones(2,layout=lib.sparse_coo)
lib.sparse_coo_tensor(i,[1,2,3],(2,3),requires_grad=True)|lib.sparse.sampled_addmm(S,D,E)|S.sparse_mask(D)|D.sparse_mask(U[:,0])|S.data_ptr()|S.storage()
lib.eye(3).to_sparse_bsr((2,2))|lib.tensor([[[1.0,0]],[[0,0]]]).to_sparse_csr()|S.__setitem__((0,0),1.0)|lib.where(S,D,D)|lib.cat([S,D])|S.apply_(abs)"""


@pytest.mark.parametrize("line", ERRORS.split("\n"), ids=range(ERRORS.count("\n") + 1))
def test_errors_are_of_pytorchs_types(line):
    for text in line.split("|"):
        ours, theirs = outcome(weft, text), outcome(torch, text)
        assert isinstance(theirs, Exception), f"{text}: PyTorch takes it"
        kinds = (type(theirs), NotImplementedError) if isinstance(theirs, RuntimeError) else type(theirs)
        assert isinstance(ours, kinds), f"{text}: {ours!r}, {theirs!r}"


# gradients: a loss of values w (3), of a leaf P that is sparse, of dense X (3, 2) and Y (2, 3)

LOSSES = """lib.sparse.mm(s,X).pow(3).sum()|lib.mm(s,X).sin().sum()|(s@X).exp().sum()|(s.to_sparse_csr()@X).pow(2).sum()|lib.mv(s,X[:,0]).pow(3).sum()
s.to_dense().pow(3).sum()|(Y+s).pow(3).sum()|(Y-s).pow(2).sum()|(s*3).to_dense().pow(2).sum()|(s*Y).to_dense().pow(2).sum()|(s*s).to_dense().sum()
lib.sparse.sum(s).pow(2)|lib.sparse.sum(s,0).to_dense().pow(3).sum()|lib.sparse.sum(s,1).to_dense().pow(2).sum()|s.sum().pow(3)|(-s/2).to_dense().pow(2).sum()
lib.sparse.softmax(s,1).to_dense().pow(2).sum()|lib.sparse.log_softmax(s,1).to_dense().pow(2).sum()|s.t().to_dense().pow(2).sum()
lib.sparse.mm(s,s.t()).to_dense().pow(2).sum()|lib.sparse.addmm(Y[:,:2],s,X,alpha=2).pow(3).sum()|lib.addmm(Y[:,:2],s,X).pow(2).sum()
s.coalesce().values().pow(3).sum()|lib.sparse.mm(X.t(),s.t()).pow(2).sum()|(s+s).to_dense().pow(2).sum()
s.double().to_dense().pow(2).sum()|s.clone().to_dense().pow(2).sum()"""


STORED = [[0.0, 0, 1], [1, 0, 1]]


def loss_of(lib, text, leaf):
    w = lib.tensor([0.5, -1.5, 2.0], requires_grad=not leaf, dtype=lib.float32)
    s = lib.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], w, (2, 3))
    if leaf:
        s = s.coalesce().detach().requires_grad_()
    X = lib.arange(6.0).reshape(3, 2).sub(2.5).div(4).requires_grad_()
    Y = lib.arange(6.0).reshape(2, 3).sub(1.5).div(4).requires_grad_()
    inputs = [s if leaf else w, X, Y]
    grads = lib.autograd.grad(eval(text, {"lib": lib, "s": s, "X": X, "Y": Y}), inputs, allow_unused=True)
    return [None if g is None else dense(g) for g in grads]


@pytest.mark.parametrize("leaf", [False, True])
@pytest.mark.parametrize("line", LOSSES.split("\n"), ids=range(LOSSES.count("\n") + 1))
def test_gradients(line, leaf):
    for text in line.split("|"):
        theirs = loss_of(torch, text, leaf)
        ours = loss_of(weft, text, leaf)
        if leaf and ours[0] is not None:        # PyTorch gives some a dense gradient, weft one of the stored places
            theirs[0] = theirs[0] * torch.tensor(STORED)
        for a, b in zip(ours, theirs):
            assert (a is None) == (b is None), text
            if a is not None:
                np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-6, err_msg=text)


TWICE = ["lib.sparse.mm(s,X).pow(3).sum()", "(s@X).sin().sum()", "(s.to_sparse_csr()@X).exp().sum()", "(X.t()@s.t()).pow(3).sum()",
         "(Y+s).pow(3).sum()", "lib.addmm(Y[:,:2],s,X).pow(3).sum()", "lib.mv(s,X[:,0]).pow(4).sum()"]


@pytest.mark.parametrize("text", TWICE)
def test_second_gradients_of_the_dense_operand(text):
    """PyTorch has none through the values; tests/test_sparse.py checks those by differences."""
    found = []
    for lib in (weft, torch):
        s = lib.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [0.5, -1.5, 2.0], (2, 3))
        X = lib.arange(6.0).reshape(3, 2).sub(2.5).div(4).requires_grad_()
        Y = lib.arange(6.0).reshape(2, 3).sub(1.5).div(4).requires_grad_()
        grads = lib.autograd.grad(eval(text, {"lib": lib, "s": s, "X": X, "Y": Y}), (X, Y), allow_unused=True, create_graph=True)
        total = sum((g ** 2).sum() for g in grads if g is not None)
        found.append(lib.autograd.grad(total, (X, Y), allow_unused=True))
    for a, b in zip(*found):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


# embeddings and optimizers

STEPS = {"SGD": [dict(lr=0.1), dict(lr=0.1, momentum=0.9), dict(lr=0.1, momentum=0.9, nesterov=True, maximize=True),
                 dict(lr=0.1, momentum=0.9, dampening=0.3)],
         "Adagrad": [dict(lr=0.1), dict(lr=0.1, lr_decay=0.1, initial_accumulator_value=0.2), dict(maximize=True)],
         "SparseAdam": [dict(lr=0.1), dict(betas=(0.5, 0.9), eps=1e-3), dict(maximize=True)]}


@pytest.mark.parametrize("name, options", [(n, o) for n, rows in STEPS.items() for o in rows])
@pytest.mark.parametrize("layer", ["Embedding", "EmbeddingBag"])
def test_steps_by_sparse_gradients(name, options, layer):
    found = []
    for lib in (weft, torch):
        made = getattr(lib.nn, layer)(6, 3, sparse=True, padding_idx=5)
        with lib.no_grad():
            made.weight.copy_(lib.arange(18.0).reshape(6, 3) / 10)
        optimizer = getattr(lib.optim, name)(made.parameters(), **options)
        for step in range(4):
            optimizer.zero_grad()
            made(lib.tensor([[1, step, 1], [4, 5, 0]])).pow(2).sum().backward()
            grad = made.weight.grad
            optimizer.step()
        found.append((made.weight.detach().numpy(), grad.coalesce().indices().numpy(), grad.to_dense().numpy()))
    for ours, theirs in zip(*found):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-6)


def test_embeddings_gradient_is_pytorchs():
    for text in ("F.embedding(lib.tensor([[1,1],[3,0]]),W,sparse=True)",
                 "F.embedding(lib.tensor([2,3]),W,padding_idx=2,sparse=True)",
                 "F.embedding_bag(lib.tensor([[1,1],[3,0]]),W,sparse=True,mode='sum')"):
        grads = []
        for lib in (weft, torch):
            W = lib.ones(4, 2, requires_grad=True)
            eval(text, {"lib": lib, "F": lib.nn.functional, "W": W}).sum().backward()
            grads.append(repr(W.grad))
        assert grads[0] == grads[1]


# files and the ways between the libraries

def sparse_values(lib):
    d = lib.tensor([[1.0, 0, 2], [0, 0, 3], [4.0, 5, 0]])
    return {"coo": d.to_sparse(), "twice": lib.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 2)),
            "csr": d.to_sparse_csr(), "csc": d.to_sparse_csc(), "bsr": lib.eye(4).to_sparse_bsr((2, 2)),
            "parameter": lib.nn.Parameter(d.to_sparse()), "none": lib.zeros(2, 3).to_sparse(),
            "hybrid": lib.sparse_coo_tensor([[0, 2]], lib.ones(2, 3, dtype=lib.float64), (4, 3))}


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("writer, reader", [(weft, torch), (torch, weft)], ids=["weft", "torch"])
def test_files_of_each_are_read_by_the_other(old, writer, reader):
    file = io.BytesIO()
    writer.save(sparse_values(writer), file, _use_new_zipfile_serialization=not old)
    file.seek(0)
    found, wanted = reader.load(file, weights_only=True), sparse_values(reader)
    for name, value in wanted.items():
        assert repr(found[name]) == repr(value) and found[name].layout is value.layout, name
        assert not value.is_sparse or found[name].is_coalesced() == value.is_coalesced(), name


def test_state_dicts_of_each_are_loaded_by_the_other():
    def net(lib):
        class Net(lib.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("adjacency", lib.eye(3).to_sparse())
                self.linear = lib.nn.Linear(3, 2)
        return Net()
    for writer, reader in ((weft, torch), (torch, weft)):
        source, target, file = net(writer), net(reader), io.BytesIO()
        source.adjacency._values().mul_(3)
        writer.save(copy.deepcopy(source).state_dict(), file)
        file.seek(0)
        target.load_state_dict(reader.load(file))
        assert target.adjacency.to_dense().diagonal().tolist() == [3, 3, 3]
