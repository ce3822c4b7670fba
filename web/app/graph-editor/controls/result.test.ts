import { expect, it } from 'vitest';
import { renderTemplate } from '#test/support/rendered-template.ts';
import { resultPreview } from './result.ts';

it.each([
  ['image', '<img src="blob:1" alt="Image of Save" draggable="false" />'],
  ['video', '<video src="blob:1" aria-label="Video of Save" controls loop muted playsinline></video>'],
  ['audio', '<audio src="blob:1" aria-label="Audio of Save" controls></audio>'],
  ['file', '<a href="blob:1" download="a.bin">a.bin</a>'],
] as const)('shows the %s that a node produced', (kind, html) => {
  expect(renderTemplate(resultPreview({ kind, url: 'blob:1', name: 'a.bin' }, 'Save')).html).toBe(html);
});
