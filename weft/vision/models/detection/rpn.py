"""The region proposal network: where something may be (Ren et al. 2015)."""
import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models.detection import _utils as det_utils
from weft.vision.models.detection.anchor_utils import AnchorGenerator as AnchorGenerator
from weft.vision.ops import boxes as box_ops
from weft.vision.ops.misc import Conv2dNormActivation


class RPNHead(nn.Module):
    """For each pixel and anchor of maps (N, C, H, W): whether something is there, and its box.

    >>> import weft
    >>> from weft.vision.models.detection.rpn import RPNHead
    >>> logits, boxes = RPNHead(8, 3)([weft.rand(1, 8, 4, 4)])
    >>> logits[0].shape, boxes[0].shape
    (torch.Size([1, 3, 4, 4]), torch.Size([1, 12, 4, 4]))
    """

    _version = 2

    def __init__(self, in_channels, num_anchors, conv_depth=1):
        super().__init__()
        self.conv = nn.Sequential(*(Conv2dNormActivation(in_channels, in_channels, 3, norm_layer=None)
                                    for _ in range(conv_depth)))
        self.cls_logits = nn.Conv2d(in_channels, num_anchors, 1)
        self.bbox_pred = nn.Conv2d(in_channels, num_anchors * 4, 1)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.normal_(layer.weight, std=0.01)
                if layer.bias is not None:
                    nn.init.constant_(layer.bias, 0)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        version = local_metadata.get("version", None)
        if version is None or version < 2:      # there was one convolution, under another name
            for kind in ("weight", "bias"):
                old = f"{prefix}conv.{kind}"
                if old in state_dict:
                    state_dict[f"{prefix}conv.0.0.{kind}"] = state_dict.pop(old)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)

    def forward(self, x):
        hidden = [self.conv(each) for each in x]
        return [self.cls_logits(t) for t in hidden], [self.bbox_pred(t) for t in hidden]


def flat_maps(layer, channels):
    """(N, A * C, H, W) -> (N, H * W * A, C)."""
    n, _, h, w = layer.shape
    return layer.view(n, -1, channels, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, channels)


class RegionProposalNetwork(nn.Module):
    """Proposes boxes, and learns to, from maps."""

    def __init__(self, anchor_generator, head, fg_iou_thresh, bg_iou_thresh, batch_size_per_image, positive_fraction,
                 pre_nms_top_n, post_nms_top_n, nms_thresh, score_thresh=0.0):
        super().__init__()
        self.anchor_generator, self.head = anchor_generator, head
        self.box_coder = det_utils.BoxCoder((1.0, 1.0, 1.0, 1.0))
        self.box_similarity = box_ops.box_iou
        self.proposal_matcher = det_utils.Matcher(fg_iou_thresh, bg_iou_thresh, allow_low_quality_matches=True)
        self.fg_bg_sampler = det_utils.BalancedPositiveNegativeSampler(batch_size_per_image, positive_fraction)
        self._pre_nms_top_n, self._post_nms_top_n = pre_nms_top_n, post_nms_top_n
        self.nms_thresh, self.score_thresh, self.min_size = nms_thresh, score_thresh, 1e-3

    def _when(self, counts):
        return counts["training" if self.training else "testing"]

    def assign_targets_to_anchors(self, anchors, targets):
        labels, matched = [], []
        for each, target in zip(anchors, targets):
            true = target["boxes"]
            if true.numel() == 0:
                matched.append(weft.zeros(each.shape))
                labels.append(weft.zeros(len(each)))
                continue
            index = self.proposal_matcher(self.box_similarity(true, each))
            matched.append(true[index.clamp(min=0)])
            label = (index >= 0).to(weft.float32)
            label[index == self.proposal_matcher.BETWEEN_THRESHOLDS] = -1.0
            labels.append(label)
        return labels, matched

    def _best(self, objectness, counts):
        """Indices of the best anchors of each map."""
        found, offset = [], 0
        for part in objectness.split(counts, 1):
            k = det_utils.topk_min(part, self._when(self._pre_nms_top_n), 1)
            found.append(part.topk(k, dim=1)[1] + offset)
            offset += part.shape[1]
        return weft.cat(found, dim=1)

    def filter_proposals(self, proposals, objectness, image_shapes, counts):
        n = proposals.shape[0]
        objectness = objectness.detach().reshape(n, -1)
        levels = weft.cat([weft.full((count,), i, dtype=weft.int64) for i, count in enumerate(counts)])
        levels = levels.reshape(1, -1).expand(n, -1)
        best = self._best(objectness, counts)
        rows = weft.arange(n)[:, None]
        objectness, levels, proposals = objectness[rows, best], levels[rows, best], proposals[rows, best]
        made, scores_made = [], []
        for boxes, scores, level, shape in zip(proposals, objectness.sigmoid(), levels, image_shapes):
            boxes = box_ops.clip_boxes_to_image(boxes, shape)
            keep = box_ops.remove_small_boxes(boxes, self.min_size)
            boxes, scores, level = boxes[keep], scores[keep], level[keep]
            keep = weft.where(scores >= self.score_thresh)[0]
            boxes, scores, level = boxes[keep], scores[keep], level[keep]
            keep = box_ops.batched_nms(boxes, scores, level, self.nms_thresh)[:self._when(self._post_nms_top_n)]
            made.append(boxes[keep])
            scores_made.append(scores[keep])
        return made, scores_made

    def compute_loss(self, objectness, deltas, labels, targets):
        positive, negative = self.fg_bg_sampler(labels)
        positive, negative = weft.where(weft.cat(positive))[0], weft.where(weft.cat(negative))[0]
        chosen = weft.cat([positive, negative])
        labels, targets = weft.cat(labels), weft.cat(targets)
        box = F.smooth_l1_loss(deltas[positive], targets[positive], beta=1 / 9, reduction="sum") / chosen.numel()
        return F.binary_cross_entropy_with_logits(objectness.flatten()[chosen], labels[chosen]), box

    def forward(self, images, features, targets=None):
        features = list(features.values())
        objectness, deltas = self.head(features)
        anchors = self.anchor_generator(images, features)
        counts = [each[0].numel() for each in objectness]
        objectness = weft.cat([flat_maps(each, 1) for each in objectness], 1).flatten(0, -2)
        deltas = weft.cat([flat_maps(each, 4) for each in deltas], 1).reshape(-1, 4)
        proposals = self.box_coder.decode(deltas.detach(), anchors).view(len(anchors), -1, 4)
        boxes, _ = self.filter_proposals(proposals, objectness, images.image_sizes, counts)
        if not self.training:
            return boxes, {}
        if targets is None:
            raise ValueError("targets should not be None")
        labels, matched = self.assign_targets_to_anchors(anchors, targets)
        loss_object, loss_box = self.compute_loss(objectness, deltas, labels, self.box_coder.encode(matched, anchors))
        return boxes, {"loss_objectness": loss_object, "loss_rpn_box_reg": loss_box}
