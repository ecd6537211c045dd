"""What AutoAugment and its kin choose from: the operations, how strong they get, and the papers' policies."""
import enum
import math

import weft
from weft.vision.transforms import functional as F


class AutoAugmentPolicy(enum.Enum):
    """On which data a policy of AutoAugment was learnt.

    >>> from weft.vision.transforms import AutoAugmentPolicy
    >>> AutoAugmentPolicy.CIFAR10.value
    'cifar10'
    """
    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


# pairs of (operation, probability, strength from 0 to 9 or -), as the paper lists them (Cubuk et al. 2019)
TEXT = {
    "imagenet": """Posterize 0.4 8 Rotate 0.6 9; Solarize 0.6 5 AutoContrast 0.6 -; Equalize 0.8 - Equalize 0.6 -;
        Posterize 0.6 7 Posterize 0.6 6; Equalize 0.4 - Solarize 0.2 4; Equalize 0.4 - Rotate 0.8 8;
        Solarize 0.6 3 Equalize 0.6 -; Posterize 0.8 5 Equalize 1 -; Rotate 0.2 3 Solarize 0.6 8;
        Equalize 0.6 - Posterize 0.4 6; Rotate 0.8 8 Color 0.4 0; Rotate 0.4 9 Equalize 0.6 -;
        Equalize 0 - Equalize 0.8 -; Invert 0.6 - Equalize 1 -; Color 0.6 4 Contrast 1 8; Rotate 0.8 8 Color 1 2;
        Color 0.8 8 Solarize 0.8 7; Sharpness 0.4 7 Invert 0.6 -; ShearX 0.6 5 Equalize 1 -;
        Color 0.4 0 Equalize 0.6 -; Equalize 0.4 - Solarize 0.2 4; Solarize 0.6 5 AutoContrast 0.6 -;
        Invert 0.6 - Equalize 1 -; Color 0.6 4 Contrast 1 8; Equalize 0.8 - Equalize 0.6 -""",
    "cifar10": """Invert 0.1 - Contrast 0.2 6; Rotate 0.7 2 TranslateX 0.3 9; Sharpness 0.8 1 Sharpness 0.9 3;
        ShearY 0.5 8 TranslateY 0.7 9; AutoContrast 0.5 - Equalize 0.9 -; ShearY 0.2 7 Posterize 0.3 7;
        Color 0.4 3 Brightness 0.6 7; Sharpness 0.3 9 Brightness 0.7 9; Equalize 0.6 - Equalize 0.5 -;
        Contrast 0.6 7 Sharpness 0.6 5; Color 0.7 7 TranslateX 0.5 8; Equalize 0.3 - AutoContrast 0.4 -;
        TranslateY 0.4 3 Sharpness 0.2 6; Brightness 0.9 6 Color 0.2 8; Solarize 0.5 2 Invert 0 -;
        Equalize 0.2 - AutoContrast 0.6 -; Equalize 0.2 - Equalize 0.6 -; Color 0.9 9 Equalize 0.6 -;
        AutoContrast 0.8 - Solarize 0.2 8; Brightness 0.1 3 Color 0.7 0; Solarize 0.4 5 AutoContrast 0.9 -;
        TranslateY 0.9 9 TranslateY 0.7 9; AutoContrast 0.9 - Solarize 0.8 3; Equalize 0.8 - Invert 0.1 -;
        TranslateY 0.7 9 AutoContrast 0.9 -""",
    "svhn": """ShearX 0.9 4 Invert 0.2 -; ShearY 0.9 8 Invert 0.7 -; Equalize 0.6 - Solarize 0.6 6;
        Invert 0.9 - Equalize 0.6 -; Equalize 0.6 - Rotate 0.9 3; ShearX 0.9 4 AutoContrast 0.8 -;
        ShearY 0.9 8 Invert 0.4 -; ShearY 0.9 5 Solarize 0.2 6; Invert 0.9 - AutoContrast 0.8 -;
        Equalize 0.6 - Rotate 0.9 3; ShearX 0.9 4 Solarize 0.3 3; ShearY 0.8 8 Invert 0.7 -;
        Equalize 0.9 - TranslateY 0.6 6; Invert 0.9 - Equalize 0.6 -; Contrast 0.3 3 Rotate 0.8 4;
        Invert 0.8 - TranslateY 0 2; ShearY 0.7 6 Solarize 0.4 8; Invert 0.6 - Rotate 0.8 4;
        ShearY 0.3 7 TranslateX 0.9 3; ShearX 0.1 6 Invert 0.6 -; Solarize 0.7 2 TranslateY 0.6 7;
        ShearY 0.8 4 Invert 0.8 -; ShearX 0.7 9 TranslateY 0.8 3; ShearY 0.8 5 AutoContrast 0.7 -;
        ShearX 0.7 2 Invert 0.1 -"""}


def policies(policy):
    """[((operation, probability, strength or None), (...)), ...] of an AutoAugmentPolicy."""
    if policy not in list(AutoAugmentPolicy):
        raise ValueError(f"there is no policy {policy!r}\n  fix: take one of AutoAugmentPolicy")
    made = []
    for line in TEXT[policy.value].split(";"):
        words = line.split()
        made.append(tuple((words[i], float(words[i + 1]), None if words[i + 2] == "-" else int(words[i + 2]))
                          for i in (0, 3)))
    return made


def _posterize(most, drop):
    return lambda bins: most - (weft.arange(bins) / ((bins - 1) / drop)).round().int()


def space(kind, bins, height, width, all_ops=True, solar=255.0):
    """{operation: (strengths or None, whether they have signs)}, in the order in which one is drawn."""
    wide = kind == "trivial"
    move_x, move_y = {"trivial": (32.0, 32.0), "mix": (width / 3.0, height / 3.0)}.get(
        kind, (150.0 / 331.0 * width, 150.0 / 331.0 * height))
    shear, turn, tone = (0.99, 135.0, 0.99) if wide else (0.3, 30.0, 0.9)
    bits = {"trivial": _posterize(8, 6), "mix": _posterize(4, 4)}.get(kind, _posterize(8, 4))

    def up_to(most):
        return weft.linspace(0.0, most, bins), True

    moves = {"ShearX": up_to(shear), "ShearY": up_to(shear), "TranslateX": up_to(move_x), "TranslateY": up_to(move_y),
             "Rotate": up_to(turn)}
    tones = {name: up_to(tone) for name in ("Brightness", "Color", "Contrast", "Sharpness")}
    rest = {"Posterize": (bits(bins), False), "Solarize": (weft.linspace(solar, 0.0, bins), False),
            "AutoContrast": (None, False), "Equalize": (None, False)}
    if kind == "mix":
        return {**moves, **rest, **(tones if all_ops else {})}
    if kind == "auto":
        return {**moves, **tones, **rest, "Invert": (None, False)}
    return {"Identity": (None, False), **moves, **tones, **rest}


def apply_op(img, name, strength, interpolation, fill):
    """One operation on a picture."""
    options = {"interpolation": interpolation, "fill": fill}
    if name in ("ShearX", "ShearY"):
        angle = math.degrees(math.atan(strength))
        shear = [angle, 0.0] if name == "ShearX" else [0.0, angle]
        return F.affine(img, 0.0, [0, 0], 1.0, shear, center=[0, 0], **options)
    if name in ("TranslateX", "TranslateY"):
        move = [int(strength), 0] if name == "TranslateX" else [0, int(strength)]
        return F.affine(img, 0.0, move, 1.0, [0.0, 0.0], **options)
    if name == "Rotate":
        return F.rotate(img, strength, **options)
    if name in TONES:
        return TONES[name](img, 1.0 + strength)
    if name == "Posterize":
        return F.posterize(img, int(strength))
    if name == "Solarize":
        return F.solarize(img, strength)
    return PLAIN[name](img)


TONES = {"Brightness": F.adjust_brightness, "Color": F.adjust_saturation, "Contrast": F.adjust_contrast,
         "Sharpness": F.adjust_sharpness}
PLAIN = {"AutoContrast": F.autocontrast, "Equalize": F.equalize, "Invert": F.invert, "Identity": lambda img: img}


def dirichlet(alpha):
    """A draw for each row of alphas."""
    return weft._sample_dirichlet(alpha)
