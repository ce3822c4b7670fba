/** Code that other rooms load when they first need it. */
export { findPublishedFile } from './registry/catalogue/published-files.ts';
