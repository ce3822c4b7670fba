export { promptsAreLeft } from './execution/left-prompts.ts';
export { flipHorizontally, flipVertically, rotate } from './images/operations/geometry.ts';
export type { Raster } from './images/rasters.ts';
