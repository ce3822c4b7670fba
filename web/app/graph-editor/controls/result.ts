import { html } from 'lit';
import type { Result } from '../nodes/node-result.ts';
import { words } from '../strings.ts';

/** `node`: the name of the one that made it. */
export function result({ kind, url, name }: Result, node: string) {
  switch (kind) {
    case 'picture':
      return html`<img src=${url} alt=${words.picture(node)} draggable="false" />`;
    case 'video':
      return html`<video src=${url} aria-label=${words.video(node)} controls loop muted playsinline></video>`;
    case 'sound':
      return html`<audio src=${url} aria-label=${words.sound(node)} controls></audio>`;
    case 'file':
      return html`<a href=${url} download=${name}>${name}</a>`;
  }
}
