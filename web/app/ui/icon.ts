import { html } from 'lit';

/** SVG paths of the icons, in a box of 24 by 24 units with a margin of 3. */
export const PATHS = {
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
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
  chat: 'M4.5 5.5h15v10h-8L7.5 19v-3.5h-3z',
  workflow: 'M4.5 5h5v5h-5zM14.5 14h5v5h-5zM9.5 7.5h5a2.5 2.5 0 0 1 2.5 2.5v4',
  models: 'm12 4 7 4v8l-7 4-7-4V8zM5 8l7 4 7-4M12 12v8',
  code: 'm9 8-4 4 4 4M15 8l4 4-4 4',
  settings: 'M5 7.5h14M5 16.5h14M9 5v5M15 14v5',
  search: 'M10.5 5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM14.5 14.5 19 19',
  keyboard: 'M4 7h16v10H4zM7.5 10.5h.01M11 10.5h.01M14.5 10.5h.01M8 14h8',
  theme: 'M12 5a7 7 0 1 0 0 14V5Zm0 0a7 7 0 0 1 0 14',
  pin: 'M9 5h6l-.8 5 2.8 3H7l2.8-3L9 5ZM12 13v6',
  microphone:
    'M12 4a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0v-5A2.5 2.5 0 0 1 12 4ZM6.5 11a5.5 5.5 0 0 0 11 0M12 16.5V20',
  speaker: 'M5 9.5h3L12 6v12l-4-3.5H5zM15 9.5a3.5 3.5 0 0 1 0 5M17.5 7a7 7 0 0 1 0 10',
  attach: 'm17 11-5.2 5.2a3.2 3.2 0 0 1-4.5-4.5l6-6a2.1 2.1 0 0 1 3 3l-6 6a1 1 0 0 1-1.5-1.5L14 8',
  up: 'M12 19V6M6.5 11.5 12 6l5.5 5.5',
  down: 'm7 10 5 5 5-5',
  check: 'm5.5 12.5 4 4 9-9',
  file: 'M7 4.5h6.5L17 8v11.5H7zM13 4.5V8.5h4',
  copy: 'M9 9h10v10H9zM6 15H5V5h10v1',
  refresh: 'M19 12a7 7 0 1 1-2-5l2 2M19 5v4h-4',
  branch:
    'M7.5 6v12M7.5 14c0-3 9-1 9-6M5.5 5a2 2 0 1 0 4 0 2 2 0 1 0-4 0M5.5 19a2 2 0 1 0 4 0 2 2 0 1 0-4 0M14.5 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  folder: 'M4.5 6.5h5l2 2h8v9.5h-15z',
  compare: 'M4.5 5.5h6v13h-6zM13.5 5.5h6v13h-6z',
  stop: 'M7 7h10v10H7z',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon of 20 by 20 pixels in the text's color. Round buttons show it with 16. */
export function icon(name: IconName) {
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
