import { html } from 'lit';

/** SVG paths of the icons, in a box of 24 by 24 units with a margin of 3. */
const PATHS = {
  plus: 'M12 5v14M5 12h14',
  pencil: 'm4 20 .8-3.6L15.6 5.6a1.7 1.7 0 0 1 2.4 0l.4.4a1.7 1.7 0 0 1 0 2.4L7.6 19.2 4 20Z',
  trash: 'M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7M10.5 11v4.5M13.5 11v4.5',
  sliders: 'M4 8h9M17 8h3M4 16h3M11 16h9M13 8a2 2 0 1 0 4 0 2 2 0 1 0-4 0M7 16a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  image: 'M5 5h14v14H5zM5 16l4-4 3.5 3.5L15 13l4 4M15.5 9h.01',
  list: 'M4 7h16M4 12h16M4 17h10',
  left: 'm14 7-5 5 5 5',
  right: 'm10 7 5 5-5 5',
  close: 'm7 7 10 10M17 7 7 17',
  undo: 'M10 5.5 5.5 10l4.5 4.5M6 10h8a5 5 0 0 1 0 10h-3',
  redo: 'm14 5.5 4.5 4.5-4.5 4.5M18 10h-8a5 5 0 0 0 0 10h3',
  wrench:
    'M14 6.5 17.5 3a4.5 4.5 0 0 1-5.6 6.2L6 15.1M14 6.5l3.5 3.5L21 6.5a4.5 4.5 0 0 1-6.2 5.6L8.9 18a2 2 0 0 1-2.9-2.9',
} as const;

/** An icon of 20 by 20 pixels in the text's color. Round buttons show it with 16. */
export function icon(name: keyof typeof PATHS) {
  return html`<svg
    viewBox="3 3 18 18"
    width="20"
    height="20"
    fill="none"
    stroke="currentColor"
    stroke-width="1.7"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  ><path d=${PATHS[name]} /></svg>`;
}
