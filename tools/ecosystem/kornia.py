"""kornia: picture processing with gradients."""
# pip install kornia
import kornia
import torch


def filters():
    """blur, Sobel, Canny, median, Laplacian, unsharp, bilateral, with gradients"""
    x = torch.rand(1, 3, 20, 24, requires_grad=True)
    f = kornia.filters
    made = [f.gaussian_blur2d(x, (5, 5), (1.5, 1.5)), f.sobel(x), f.median_blur(x, (3, 3)), f.laplacian(x, 3),
            f.unsharp_mask(x, (3, 3), (1.0, 1.0)), f.bilateral_blur(x, (3, 3), 0.1, (1.0, 1.0)), f.box_blur(x, (3, 3))]
    sum(m.pow(2).mean() for m in made).backward()
    return made, x.grad, f.canny(x.detach())


def geometry():
    """warps, rotations, homographies, cameras, quaternions"""
    x = torch.rand(2, 3, 16, 16, requires_grad=True)
    g = kornia.geometry
    turned = g.transform.rotate(x, torch.tensor([20.0, -35.0]))
    scaled = g.transform.scale(x, torch.tensor([1.3, 0.8]))
    corners = torch.tensor([[[0.0, 0], [15, 0], [15, 15], [0, 15]]] * 2)
    matrix = g.transform.get_perspective_transform(corners, corners + torch.randn(2, 4, 2))
    warped = g.transform.warp_perspective(x, matrix, (16, 16))
    (turned.pow(2).sum() + scaled.sum() + warped.pow(2).sum()).backward()
    axis = torch.randn(3, 3)
    quaternion = g.conversions.axis_angle_to_quaternion(axis)
    return (turned, scaled, matrix, warped, x.grad, quaternion, g.conversions.quaternion_to_rotation_matrix(quaternion),
            g.conversions.axis_angle_to_rotation_matrix(axis), g.transform.resize(x, (9, 11), antialias=True))


def colors():
    """HSV, Lab, YUV, XYZ, grey, and back; histograms, SSIM, PSNR, total variation"""
    x, y = torch.rand(2, 3, 12, 12), torch.rand(2, 3, 12, 12)
    c = kornia.color
    back = [c.hsv_to_rgb(c.rgb_to_hsv(x)), c.lab_to_rgb(c.rgb_to_lab(x)), c.yuv_to_rgb(c.rgb_to_yuv(x))]
    return (c.rgb_to_hsv(x), c.rgb_to_lab(x), c.rgb_to_xyz(x), c.rgb_to_grayscale(x), back,
            kornia.metrics.ssim(x, y, 5), kornia.metrics.psnr(x, y, 1.0), kornia.losses.total_variation(x),
            kornia.enhance.equalize(x), kornia.enhance.adjust_gamma(x, 1.4))


def augmentation():
    """a chain of random augmentations, the same for picture and mask"""
    a = kornia.augmentation
    chain = a.AugmentationSequential(a.RandomHorizontalFlip(p=0.5), a.RandomAffine(15.0, p=1.0),
                                     a.ColorJitter(0.2, 0.2, 0.2, 0.1, p=1.0), data_keys=["input", "mask"])
    return chain(torch.rand(4, 3, 16, 16), torch.ones(4, 1, 16, 16))


def losses():
    """focal, dice, Tversky, Lovasz, contour: values and gradients; corners and descriptors"""
    logits = torch.randn(2, 3, 8, 8, requires_grad=True)
    target = torch.randint(0, 3, (2, 8, 8))
    l = kornia.losses
    made = [l.focal_loss(logits, target, 0.5, reduction="mean"), l.dice_loss(logits, target),
            l.tversky_loss(logits, target, 0.4, 0.6), l.lovasz_softmax_loss(logits, target)]
    sum(made).backward()
    return made, logits.grad, kornia.feature.harris_response(torch.rand(1, 1, 12, 12))
