import { html } from 'lit';
import type { NodeResultFile } from '../nodes/node-result.ts';
import { graphStrings } from '../strings.ts';

/** Shows an image, video, audio file or download link. `node` is the name of the node that produced it. */
export function resultPreview({ kind, url, name }: NodeResultFile, node: string) {
  switch (kind) {
    case 'image':
      return html`<img src=${url} alt=${graphStrings.imageOf(node)} draggable="false" />`;
    case 'video':
      return html`<video src=${url} aria-label=${graphStrings.videoOf(node)} controls loop muted playsinline></video>`;
    case 'audio':
      return html`<audio src=${url} aria-label=${graphStrings.audioOf(node)} controls></audio>`;
    case 'file':
      return html`<a href=${url} download=${name}>${name}</a>`;
  }
}
