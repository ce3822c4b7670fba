/** Results of nodes in the graph editor: videos that play, and audio that can be played. */
import { expect, test } from '@playwright/test';
import { graphStrings } from '#web/app/graph-editor/strings.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

const graph = {
  '1': { class_type: 'EmptyImage', inputs: { width: 128, height: 96, batch_size: 8, color: 3368601 } },
  '2': {
    class_type: 'SaveWEBM',
    inputs: { images: ['1', 0], filename_prefix: 'seen', codec: 'vp9', fps: 8, crf: 30 },
  },
  '3': { class_type: 'EmptyAudio', inputs: { duration: 1, sample_rate: 48000, channels: 1 } },
  '4': { class_type: 'SaveAudioOpus', inputs: { audio: ['3', 0], filename_prefix: 'heard', quality: '64k' } },
};

test('videos and audio are played at the nodes that wrote them', async ({ context }) => {
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const app = await openAppTab(context, `http://localhost:${shim.ports.app}`, '/#/images/graph');
    const chooser = app.waitForEvent('filechooser');
    await app.getByRole('button', { name: graphStrings.file, exact: true }).click();
    await app.getByRole('button', { name: graphStrings.open, exact: true }).click();
    const file = {
      name: 'graph.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(graph)),
    };
    await (await chooser).setFiles(file);
    const node = (id: number) => app.locator(`tabd-graph-node [aria-label$="node ${id}"]`);
    await expect(node(4)).toBeVisible();
    await app.getByRole('button', { name: graphStrings.queue, exact: true }).click();
    const video = node(2).locator('video');
    await expect(video).toBeVisible();
    await expect
      .poll(() => video.evaluate((element: HTMLVideoElement) => [element.videoWidth, element.duration]))
      .toEqual([128, 1]);
    const player = node(4).locator('audio');
    await expect
      .poll(() => player.evaluate((element: HTMLAudioElement) => Math.round(element.duration)))
      .toBe(1);
    await expectAccessible(app);
    await app.getByRole('button', { name: graphStrings.outline }).click();
    await expect(app.locator('[data-node="2"] .results video')).toHaveCount(1);
    await expect(app.locator('[data-node="4"] .results audio')).toHaveCount(1);
    await expectAccessible(app);
  } finally {
    await shim.stop();
    await removeHome(home);
  }
});
