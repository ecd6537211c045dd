"""The files of weights that torchvision offers for each model."""
# model: (the enum's name, classes, the default, [(member, file, how pictures are prepared)])
# how: "crop resize interpolation" for classification, "seg size", "det"
TABLE = {
    "alexnet": ("AlexNet_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "alexnet-owt-7be5be79.pth", "224 256 bilinear"),
    ]),
    "convnext_base": ("ConvNeXt_Base_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "convnext_base-6075fbad.pth", "224 232 bilinear"),
    ]),
    "convnext_large": ("ConvNeXt_Large_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "convnext_large-ea097f82.pth", "224 232 bilinear"),
    ]),
    "convnext_small": ("ConvNeXt_Small_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "convnext_small-0c510722.pth", "224 230 bilinear"),
    ]),
    "convnext_tiny": ("ConvNeXt_Tiny_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "convnext_tiny-983f1562.pth", "224 236 bilinear"),
    ]),
    "deeplabv3_mobilenet_v3_large": ("DeepLabV3_MobileNet_V3_Large_Weights", 21, "COCO_WITH_VOC_LABELS_V1", [
        ("COCO_WITH_VOC_LABELS_V1", "deeplabv3_mobilenet_v3_large-fc3c493d.pth", "seg 520"),
    ]),
    "deeplabv3_resnet101": ("DeepLabV3_ResNet101_Weights", 21, "COCO_WITH_VOC_LABELS_V1", [
        ("COCO_WITH_VOC_LABELS_V1", "deeplabv3_resnet101_coco-586e9e4e.pth", "seg 520"),
    ]),
    "deeplabv3_resnet50": ("DeepLabV3_ResNet50_Weights", 21, "COCO_WITH_VOC_LABELS_V1", [
        ("COCO_WITH_VOC_LABELS_V1", "deeplabv3_resnet50_coco-cd0a2569.pth", "seg 520"),
    ]),
    "densenet121": ("DenseNet121_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "densenet121-a639ec97.pth", "224 256 bilinear"),
    ]),
    "densenet161": ("DenseNet161_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "densenet161-8d451a50.pth", "224 256 bilinear"),
    ]),
    "densenet169": ("DenseNet169_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "densenet169-b2777c0a.pth", "224 256 bilinear"),
    ]),
    "densenet201": ("DenseNet201_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "densenet201-c1103571.pth", "224 256 bilinear"),
    ]),
    "efficientnet_b0": ("EfficientNet_B0_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_b0_rwightman-7f5810bc.pth", "224 256 bicubic"),
    ]),
    "efficientnet_b1": ("EfficientNet_B1_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "efficientnet_b1_rwightman-bac287d4.pth", "240 256 bicubic"),
        ("IMAGENET1K_V2", "efficientnet_b1-c27df63c.pth", "240 255 bilinear"),
    ]),
    "efficientnet_b2": ("EfficientNet_B2_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_b2_rwightman-c35c1473.pth", "288 288 bicubic"),
    ]),
    "efficientnet_b3": ("EfficientNet_B3_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_b3_rwightman-b3899882.pth", "300 320 bicubic"),
    ]),
    "efficientnet_b4": ("EfficientNet_B4_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_b4_rwightman-23ab8bcd.pth", "380 384 bicubic"),
    ]),
    "efficientnet_b5": ("EfficientNet_B5_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_b5_lukemelas-1a07897c.pth", "456 456 bicubic"),
    ]),
    "efficientnet_b6": ("EfficientNet_B6_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_b6_lukemelas-24a108a5.pth", "528 528 bicubic"),
    ]),
    "efficientnet_b7": ("EfficientNet_B7_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_b7_lukemelas-c5b4e57e.pth", "600 600 bicubic"),
    ]),
    "efficientnet_v2_l": ("EfficientNet_V2_L_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_v2_l-59c71312.pth", "480 480 bicubic mean 0.5 0.5 0.5 std 0.5 0.5 0.5"),
    ]),
    "efficientnet_v2_m": ("EfficientNet_V2_M_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_v2_m-dc08266a.pth", "480 480 bilinear"),
    ]),
    "efficientnet_v2_s": ("EfficientNet_V2_S_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "efficientnet_v2_s-dd5fe13b.pth", "384 384 bilinear"),
    ]),
    "fasterrcnn_mobilenet_v3_large_320_fpn": ("FasterRCNN_MobileNet_V3_Large_320_FPN_Weights", 91, "COCO_V1", [
        ("COCO_V1", "fasterrcnn_mobilenet_v3_large_320_fpn-907ea3f9.pth", "det"),
    ]),
    "fasterrcnn_mobilenet_v3_large_fpn": ("FasterRCNN_MobileNet_V3_Large_FPN_Weights", 91, "COCO_V1", [
        ("COCO_V1", "fasterrcnn_mobilenet_v3_large_fpn-fb6a3cc7.pth", "det"),
    ]),
    "fasterrcnn_resnet50_fpn": ("FasterRCNN_ResNet50_FPN_Weights", 91, "COCO_V1", [
        ("COCO_V1", "fasterrcnn_resnet50_fpn_coco-258fb6c6.pth", "det"),
    ]),
    "fasterrcnn_resnet50_fpn_v2": ("FasterRCNN_ResNet50_FPN_V2_Weights", 91, "COCO_V1", [
        ("COCO_V1", "fasterrcnn_resnet50_fpn_v2_coco-dd69338a.pth", "det"),
    ]),
    "fcn_resnet101": ("FCN_ResNet101_Weights", 21, "COCO_WITH_VOC_LABELS_V1", [
        ("COCO_WITH_VOC_LABELS_V1", "fcn_resnet101_coco-7ecb50ca.pth", "seg 520"),
    ]),
    "fcn_resnet50": ("FCN_ResNet50_Weights", 21, "COCO_WITH_VOC_LABELS_V1", [
        ("COCO_WITH_VOC_LABELS_V1", "fcn_resnet50_coco-1167a1af.pth", "seg 520"),
    ]),
    "fcos_resnet50_fpn": ("FCOS_ResNet50_FPN_Weights", 91, "COCO_V1", [
        ("COCO_V1", "fcos_resnet50_fpn_coco-99b0c9b7.pth", "det"),
    ]),
    "googlenet": ("GoogLeNet_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "googlenet-1378be20.pth", "224 256 bilinear"),
    ]),
    "inception_v3": ("Inception_V3_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "inception_v3_google-0cc3c7bd.pth", "299 342 bilinear"),
    ]),
    "keypointrcnn_resnet50_fpn": ("KeypointRCNN_ResNet50_FPN_Weights", 2, "COCO_V1", [
        ("COCO_LEGACY", "keypointrcnn_resnet50_fpn_coco-9f466800.pth", "det"),
        ("COCO_V1", "keypointrcnn_resnet50_fpn_coco-fc266e95.pth", "det"),
    ]),
    "lraspp_mobilenet_v3_large": ("LRASPP_MobileNet_V3_Large_Weights", 21, "COCO_WITH_VOC_LABELS_V1", [
        ("COCO_WITH_VOC_LABELS_V1", "lraspp_mobilenet_v3_large-d234d4ea.pth", "seg 520"),
    ]),
    "maskrcnn_resnet50_fpn": ("MaskRCNN_ResNet50_FPN_Weights", 91, "COCO_V1", [
        ("COCO_V1", "maskrcnn_resnet50_fpn_coco-bf2d0c1e.pth", "det"),
    ]),
    "maskrcnn_resnet50_fpn_v2": ("MaskRCNN_ResNet50_FPN_V2_Weights", 91, "COCO_V1", [
        ("COCO_V1", "maskrcnn_resnet50_fpn_v2_coco-73cbd019.pth", "det"),
    ]),
    "mnasnet0_5": ("MNASNet0_5_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "mnasnet0.5_top1_67.823-3ffadce67e.pth", "224 256 bilinear"),
    ]),
    "mnasnet0_75": ("MNASNet0_75_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "mnasnet0_75-7090bc5f.pth", "224 232 bilinear"),
    ]),
    "mnasnet1_0": ("MNASNet1_0_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "mnasnet1.0_top1_73.512-f206786ef8.pth", "224 256 bilinear"),
    ]),
    "mnasnet1_3": ("MNASNet1_3_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "mnasnet1_3-a4c69d6f.pth", "224 232 bilinear"),
    ]),
    "mobilenet_v2": ("MobileNet_V2_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "mobilenet_v2-b0353104.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "mobilenet_v2-7ebf99e0.pth", "224 232 bilinear"),
    ]),
    "mobilenet_v3_large": ("MobileNet_V3_Large_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "mobilenet_v3_large-8738ca79.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "mobilenet_v3_large-5c1a4163.pth", "224 232 bilinear"),
    ]),
    "mobilenet_v3_small": ("MobileNet_V3_Small_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "mobilenet_v3_small-047dcff4.pth", "224 256 bilinear"),
    ]),
    "regnet_x_16gf": ("RegNet_X_16GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_x_16gf-2007eb11.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_x_16gf-ba3796d7.pth", "224 232 bilinear"),
    ]),
    "regnet_x_1_6gf": ("RegNet_X_1_6GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_x_1_6gf-e3633e7f.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_x_1_6gf-a12f2b72.pth", "224 232 bilinear"),
    ]),
    "regnet_x_32gf": ("RegNet_X_32GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_x_32gf-9d47f8d0.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_x_32gf-6eb8fdc6.pth", "224 232 bilinear"),
    ]),
    "regnet_x_3_2gf": ("RegNet_X_3_2GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_x_3_2gf-f342aeae.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_x_3_2gf-7071aa85.pth", "224 232 bilinear"),
    ]),
    "regnet_x_400mf": ("RegNet_X_400MF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_x_400mf-adf1edd5.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_x_400mf-62229a5f.pth", "224 232 bilinear"),
    ]),
    "regnet_x_800mf": ("RegNet_X_800MF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_x_800mf-ad17e45c.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_x_800mf-94a99ebd.pth", "224 232 bilinear"),
    ]),
    "regnet_x_8gf": ("RegNet_X_8GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_x_8gf-03ceed89.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_x_8gf-2b70d774.pth", "224 232 bilinear"),
    ]),
    "regnet_y_128gf": ("RegNet_Y_128GF_Weights", 1000, "IMAGENET1K_SWAG_E2E_V1", [
        ("IMAGENET1K_SWAG_E2E_V1", "regnet_y_128gf_swag-c8ce3e52.pth", "384 384 bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "regnet_y_128gf_lc_swag-cbe8ce12.pth", "224 224 bicubic"),
    ]),
    "regnet_y_16gf": ("RegNet_Y_16GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_y_16gf-9e6ed7dd.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_y_16gf-3e4a00f9.pth", "224 232 bilinear"),
        ("IMAGENET1K_SWAG_E2E_V1", "regnet_y_16gf_swag-43afe44d.pth", "384 384 bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "regnet_y_16gf_lc_swag-f3ec0043.pth", "224 224 bicubic"),
    ]),
    "regnet_y_1_6gf": ("RegNet_Y_1_6GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_y_1_6gf-b11a554e.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_y_1_6gf-0d7bc02a.pth", "224 232 bilinear"),
    ]),
    "regnet_y_32gf": ("RegNet_Y_32GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_y_32gf-4dee3f7a.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_y_32gf-8db6d4b5.pth", "224 232 bilinear"),
        ("IMAGENET1K_SWAG_E2E_V1", "regnet_y_32gf_swag-04fdfa75.pth", "384 384 bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "regnet_y_32gf_lc_swag-e1583746.pth", "224 224 bicubic"),
    ]),
    "regnet_y_3_2gf": ("RegNet_Y_3_2GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_y_3_2gf-b5a9779c.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_y_3_2gf-9180c971.pth", "224 232 bilinear"),
    ]),
    "regnet_y_400mf": ("RegNet_Y_400MF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_y_400mf-c65dace8.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_y_400mf-e6988f5f.pth", "224 232 bilinear"),
    ]),
    "regnet_y_800mf": ("RegNet_Y_800MF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_y_800mf-1b27b58c.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_y_800mf-58fc7688.pth", "224 232 bilinear"),
    ]),
    "regnet_y_8gf": ("RegNet_Y_8GF_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "regnet_y_8gf-d0d0e4a8.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "regnet_y_8gf-dc2b1b54.pth", "224 232 bilinear"),
    ]),
    "resnet101": ("ResNet101_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "resnet101-63fe2227.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "resnet101-cd907fc2.pth", "224 232 bilinear"),
    ]),
    "resnet152": ("ResNet152_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "resnet152-394f9c45.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "resnet152-f82ba261.pth", "224 232 bilinear"),
    ]),
    "resnet18": ("ResNet18_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "resnet18-f37072fd.pth", "224 256 bilinear"),
    ]),
    "resnet34": ("ResNet34_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "resnet34-b627a593.pth", "224 256 bilinear"),
    ]),
    "resnet50": ("ResNet50_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "resnet50-0676ba61.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "resnet50-11ad3fa6.pth", "224 232 bilinear"),
    ]),
    "resnext101_32x8d": ("ResNeXt101_32X8D_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "resnext101_32x8d-8ba56ff5.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "resnext101_32x8d-110c445d.pth", "224 232 bilinear"),
    ]),
    "resnext101_64x4d": ("ResNeXt101_64X4D_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "resnext101_64x4d-173b62eb.pth", "224 232 bilinear"),
    ]),
    "resnext50_32x4d": ("ResNeXt50_32X4D_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "resnext50_32x4d-7cdf4587.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "resnext50_32x4d-1a0047aa.pth", "224 232 bilinear"),
    ]),
    "retinanet_resnet50_fpn": ("RetinaNet_ResNet50_FPN_Weights", 91, "COCO_V1", [
        ("COCO_V1", "retinanet_resnet50_fpn_coco-eeacb38b.pth", "det"),
    ]),
    "retinanet_resnet50_fpn_v2": ("RetinaNet_ResNet50_FPN_V2_Weights", 91, "COCO_V1", [
        ("COCO_V1", "retinanet_resnet50_fpn_v2_coco-5905b1c5.pth", "det"),
    ]),
    "shufflenet_v2_x0_5": ("ShuffleNet_V2_X0_5_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "shufflenetv2_x0.5-f707e7126e.pth", "224 256 bilinear"),
    ]),
    "shufflenet_v2_x1_0": ("ShuffleNet_V2_X1_0_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "shufflenetv2_x1-5666bf0f80.pth", "224 256 bilinear"),
    ]),
    "shufflenet_v2_x1_5": ("ShuffleNet_V2_X1_5_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "shufflenetv2_x1_5-3c479a10.pth", "224 232 bilinear"),
    ]),
    "shufflenet_v2_x2_0": ("ShuffleNet_V2_X2_0_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "shufflenetv2_x2_0-8be3c8ee.pth", "224 232 bilinear"),
    ]),
    "squeezenet1_0": ("SqueezeNet1_0_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "squeezenet1_0-b66bff10.pth", "224 256 bilinear"),
    ]),
    "squeezenet1_1": ("SqueezeNet1_1_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "squeezenet1_1-b8a52dc0.pth", "224 256 bilinear"),
    ]),
    "ssd300_vgg16": ("SSD300_VGG16_Weights", 91, "COCO_V1", [
        ("COCO_V1", "ssd300_vgg16_coco-b556d3b4.pth", "det"),
    ]),
    "ssdlite320_mobilenet_v3_large": ("SSDLite320_MobileNet_V3_Large_Weights", 91, "COCO_V1", [
        ("COCO_V1", "ssdlite320_mobilenet_v3_large_coco-a79551df.pth", "det"),
    ]),
    "swin_b": ("Swin_B_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "swin_b-68c6b09e.pth", "224 238 bicubic"),
    ]),
    "swin_s": ("Swin_S_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "swin_s-5e29d889.pth", "224 246 bicubic"),
    ]),
    "swin_t": ("Swin_T_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "swin_t-704ceda3.pth", "224 232 bicubic"),
    ]),
    "swin_v2_b": ("Swin_V2_B_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "swin_v2_b-781e5279.pth", "256 272 bicubic"),
    ]),
    "swin_v2_s": ("Swin_V2_S_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "swin_v2_s-637d8ceb.pth", "256 260 bicubic"),
    ]),
    "swin_v2_t": ("Swin_V2_T_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "swin_v2_t-b137f0e2.pth", "256 260 bicubic"),
    ]),
    "vgg11": ("VGG11_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vgg11-8a719046.pth", "224 256 bilinear"),
    ]),
    "vgg11_bn": ("VGG11_BN_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vgg11_bn-6002323d.pth", "224 256 bilinear"),
    ]),
    "vgg13": ("VGG13_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vgg13-19584684.pth", "224 256 bilinear"),
    ]),
    "vgg13_bn": ("VGG13_BN_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vgg13_bn-abd245e5.pth", "224 256 bilinear"),
    ]),
    "vgg16": ("VGG16_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vgg16-397923af.pth", "224 256 bilinear"),
        ("IMAGENET1K_FEATURES", "vgg16_features-amdegroot-88682ab5.pth",
         "224 256 bilinear mean 0.48235 0.45882 0.40784 std 0.003922 0.003922 0.003922"),
    ]),
    "vgg16_bn": ("VGG16_BN_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vgg16_bn-6c64b313.pth", "224 256 bilinear"),
    ]),
    "vgg19": ("VGG19_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vgg19-dcbb9e9d.pth", "224 256 bilinear"),
    ]),
    "vgg19_bn": ("VGG19_BN_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vgg19_bn-c79401a0.pth", "224 256 bilinear"),
    ]),
    "vit_b_16": ("ViT_B_16_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vit_b_16-c867db91.pth", "224 256 bilinear"),
        ("IMAGENET1K_SWAG_E2E_V1", "vit_b_16_swag-9ac1b537.pth", "384 384 bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "vit_b_16_lc_swag-4e70ced5.pth", "224 224 bicubic"),
    ]),
    "vit_b_32": ("ViT_B_32_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vit_b_32-d86f8d99.pth", "224 256 bilinear"),
    ]),
    "vit_h_14": ("ViT_H_14_Weights", 1000, "IMAGENET1K_SWAG_E2E_V1", [
        ("IMAGENET1K_SWAG_E2E_V1", "vit_h_14_swag-80465313.pth", "518 518 bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "vit_h_14_lc_swag-c1eb923e.pth", "224 224 bicubic"),
    ]),
    "vit_l_16": ("ViT_L_16_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vit_l_16-852ce7e3.pth", "224 242 bilinear"),
        ("IMAGENET1K_SWAG_E2E_V1", "vit_l_16_swag-4f3808c9.pth", "512 512 bicubic"),
        ("IMAGENET1K_SWAG_LINEAR_V1", "vit_l_16_lc_swag-4d563306.pth", "224 224 bicubic"),
    ]),
    "vit_l_32": ("ViT_L_32_Weights", 1000, "IMAGENET1K_V1", [
        ("IMAGENET1K_V1", "vit_l_32-c7638314.pth", "224 256 bilinear"),
    ]),
    "wide_resnet101_2": ("Wide_ResNet101_2_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "wide_resnet101_2-32ee1156.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "wide_resnet101_2-d733dc28.pth", "224 232 bilinear"),
    ]),
    "wide_resnet50_2": ("Wide_ResNet50_2_Weights", 1000, "IMAGENET1K_V2", [
        ("IMAGENET1K_V1", "wide_resnet50_2-95faca4d.pth", "224 256 bilinear"),
        ("IMAGENET1K_V2", "wide_resnet50_2-9ba9bcbe.pth", "224 232 bilinear"),
    ]),
}
