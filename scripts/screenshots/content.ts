/** Creates the content of the screenshots with real models, through the app and its APIs. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { graphText, type ImageSettings } from '#core/api-client';
import { pullIntoTab } from '#test/support/processes/tab.ts';
import type { Scene, SceneRequirement } from './scene.ts';

const MODEL = 'smollm2:135m';
const IMAGE_MODEL = 'emoji-128';
/** Milliseconds that a step may take. A model on a busy processor is slow. */
const STEP_TIMEOUT = 180_000;

/** Questions of each chat that a small model can answer. The last chat is shown. */
export const CHATS = [
  ['What is the capital of Italy?'],
  ['What is the capital of Japan?'],
  ['What is the capital of France?', 'What is the capital of Spain?'],
];
const PROMPTS = ['red apple, flat style', 'rocket on a black background', 'a fox on a blue background'];

/**
 * Creates the requirements of the scenes in order of their dependencies. Returns the failed ones with their
 * errors; `folder` gets a screenshot of each failure.
 */
export async function prepare(
  page: Page,
  chosen: readonly Scene[],
  folder: string,
): Promise<Map<SceneRequirement, Error>> {
  const needs = new Set(chosen.flatMap((scene) => scene.needs ?? []));
  const steps: [SceneRequirement, () => Promise<void>][] = [
    ['language model', () => pullIntoTab(page, MODEL)],
    ['chats', () => makeChats(page)],
    [
      'workflow',
      async () => {
        await answerPorts(page);
        await makeWorkflow(page);
      },
    ],
    ['image model', () => pullIntoTab(page, IMAGE_MODEL)],
    ['pictures', () => makeImages(page)],
  ];
  const failed = new Map<SceneRequirement, Error>();
  for (const [need, make] of steps) {
    if (!needs.has(need)) continue;
    console.log(`preparing: ${need}`);
    try {
      await make();
    } catch (cause) {
      const shot = join(folder, `failed-${need.replace(' ', '-')}.png`);
      await page.screenshot({ path: shot }).catch(() => {});
      const message = `${need} could not be made (what was shown: ${shot}): ${(cause as Error).message}`;
      failed.set(need, new Error(message, { cause }));
    }
  }
  // The app reads the stored content only when it starts.
  await page.reload();
  return failed;
}

export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

/** Creates the chats with greedy sampling, so that every run gives the same answers. */
async function makeChats(page: Page): Promise<void> {
  await page.reload();
  await goTo(page, '#/');
  const writing = page.getByRole('textbox', { name: 'Write a message' });
  await writing.waitFor();
  for (const [index, questions] of CHATS.entries()) {
    if (index > 0) await page.getByRole('button', { name: 'New chat' }).first().click();
    await page.getByRole('button', { name: 'Chat settings' }).click();
    await page.getByLabel('Temperature', { exact: true }).fill('0');
    await page.getByLabel('Max tokens', { exact: true }).fill('60');
    await page.getByRole('button', { name: 'Done' }).click();
    for (const [position, question] of questions.entries()) {
      await writing.fill(question);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      const answers = page.locator('tabd-message').filter({ hasText: 'tokens/s' });
      await answers.nth(position).waitFor({ timeout: STEP_TIMEOUT });
    }
  }
}

async function makeImages(page: Page): Promise<void> {
  for (const [index, text] of PROMPTS.entries())
    await drawInPage(page, graphText(imageSettings(text, index + 1)));
  // The form shows the settings of the last image.
  await page.evaluate(
    async (text) => {
      localStorage.setItem('tabd.picture', text);
      // Two models on few processors would take minutes instead of seconds.
      await fetch('/free', {
        method: 'POST',
        body: JSON.stringify({ unload_models: true, free_memory: true }),
      });
    },
    JSON.stringify(imageSettings(PROMPTS.at(-1)!, 7)),
  );
}

/** The settings of the app's form. */
const imageSettings = (prompt: string, seed: number): ImageSettings => ({
  checkpoint: IMAGE_MODEL,
  prompt,
  negative: '',
  width: 128,
  height: 128,
  steps: 8,
  guidance: 1,
  sampler: 'euler',
  scheduler: 'normal',
  seed: String(seed),
});

async function drawInPage(page: Page, graph: string): Promise<void> {
  await page.evaluate(
    async ({ graph, patience }) => {
      const answer = await fetch('/prompt', { method: 'POST', body: `{"prompt":${graph}}` });
      if (!answer.ok) throw new Error(await answer.text());
      const { prompt_id } = await answer.json();
      const until = Date.now() + patience;
      while (Date.now() < until) {
        const { [prompt_id]: entry } = await (await fetch(`/history/${prompt_id}`)).json();
        if (entry?.status.status_str === 'success') return;
        if (entry) throw new Error(JSON.stringify(entry.status.messages.at(-1)));
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      throw new Error('it took too long');
    },
    { graph, patience: STEP_TIMEOUT },
  );
}

/** Connects the page to the ports, so that its workflows show reachable addresses. */
async function answerPorts(page: Page): Promise<void> {
  await goTo(page, '#/api');
  await page.getByRole('switch').check();
  await page.getByText('/#/bridge?token=').waitFor({ timeout: STEP_TIMEOUT });
}

/** Creates a published workflow that answers with a model, and its first executions. */
async function makeWorkflow(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json', 'x-n8n-api-key': 'this page' };
    const node = (
      id: string,
      name: string,
      type: string,
      typeVersion: number,
      x: number,
      parameters: object,
    ) => ({
      id,
      name,
      type,
      typeVersion,
      position: [x, 0],
      parameters,
    });
    const workflow = {
      name: 'Ask a model',
      nodes: [
        node('1', 'Webhook', 'n8n-nodes-base.webhook', 2.1, 0, {
          httpMethod: 'POST',
          path: 'ask',
          responseMode: 'lastNode',
          options: {},
        }),
        node('2', 'Chat', 'tabd.chat', 1, 220, {
          text: '={{ $json.body.text }}',
          options: { temperature: 0, maxTokens: 40 },
        }),
      ],
      connections: { Webhook: { main: [[{ node: 'Chat', type: 'main', index: 0 }]] } },
      settings: { executionOrder: 'v1' },
    };
    const send = async (path: string, body: object) => {
      const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      return answer.json();
    };
    const { id } = await send('/api/v1/workflows', workflow);
    await send(`/api/v1/workflows/${id}/activate`, {});
    for (const text of ['What is the capital of Spain?', 'What is the capital of France?'])
      await send('/webhook/ask', { text });
  });
}
