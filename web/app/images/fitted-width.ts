/** How much a small image is enlarged to fill its place. Beyond that it would look blurred. */
const LARGEST_FACTOR = 2;

/** Sets the width in which an image is shown where it has room. */
export function limitEnlargement(image: HTMLImageElement, factor = LARGEST_FACTOR): void {
  if (image.naturalWidth > 0) image.style.width = `${image.naturalWidth * factor}px`;
}
