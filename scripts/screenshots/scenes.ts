/** The screens of the app, and the steps that open each of them. */
import type { Page } from '@playwright/test';
import { CHATS, goTo } from './content.ts';
import type { Scene } from './scene.ts';

const LONG_WAIT = { timeout: 180_000 };

export const scenes: Scene[] = [
  {
    name: 'first-visit',
    when: 'empty',
    async show(page) {
      await goTo(page, '#/');
      await page.getByRole('heading', { name: 'Welcome to tabd' }).waitFor();
    },
  },
  {
    name: 'first-picture',
    when: 'empty',
    async show(page) {
      await goTo(page, '#/images');
      await page.getByRole('heading', { name: 'No image model yet' }).waitFor();
    },
  },
  {
    name: 'first-workflow',
    when: 'empty',
    async show(page) {
      await goTo(page, '#/workflows');
      await page.getByText('Start with one of these').waitFor();
    },
  },
  {
    name: 'chat',
    when: 'full',
    needs: ['language model', 'chats'],
    shown: true,
    async show(page) {
      await goTo(page, '#/');
      const listed = page.getByRole('link', { name: CHATS.at(-1)![0]! });
      if (await listed.isVisible()) await listed.click();
      await page.getByText('tokens/s').first().waitFor();
      // The list of models is loaded.
      await page.getByLabel('Model', { exact: true }).waitFor();
    },
  },
  {
    name: 'chat-settings',
    when: 'full',
    needs: ['language model', 'chats'],
    async show(page) {
      await closeSheets(page);
      await goTo(page, '#/');
      await page.getByRole('button', { name: 'Chat settings' }).click();
      await page.getByLabel('Temperature', { exact: true }).waitFor();
      await page.getByLabel('System prompt').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'models',
    when: 'full',
    needs: ['language model'],
    async show(page) {
      await closeSheets(page);
      // An empty prompt loads the model.
      await page.evaluate(async () => {
        const body = JSON.stringify({ model: 'smollm2:135m', stream: false });
        await (await fetch('/api/generate', { method: 'POST', body })).text();
      });
      await goTo(page, '#/models');
      await page.getByRole('heading', { name: 'Models', exact: true }).waitFor();
    },
  },
  {
    name: 'workflows',
    when: 'full',
    needs: ['language model', 'workflow'],
    async show(page) {
      await goTo(page, '#/workflows');
      await page.getByRole('link', { name: 'Ask a model' }).waitFor();
    },
  },
  {
    name: 'workflow',
    when: 'full',
    needs: ['language model', 'workflow'],
    shown: true,
    async show(page) {
      await goTo(page, '#/workflows');
      await page.getByRole('link', { name: 'Ask a model' }).click();
      await page
        .getByRole('button', { name: /^Webhook/ })
        .first()
        .waitFor();
      await page.waitForTimeout(1500);
    },
  },
  {
    name: 'workflow-run',
    when: 'full',
    needs: ['language model', 'workflow'],
    async show(page) {
      await goTo(page, '#/workflows');
      await page.getByRole('link', { name: 'Ask a model' }).click();
      await page.getByRole('link', { name: 'Executions', exact: true }).click();
      await page.getByRole('link', { name: /2/ }).first().click();
      await page.getByRole('region', { name: 'Chat', exact: true }).waitFor();
    },
  },
  {
    name: 'credentials',
    when: 'full',
    needs: ['workflow'],
    async show(page) {
      await goTo(page, '#/workflows/credentials');
      await page
        .getByRole('heading', { name: /Credential/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'api',
    when: 'full',
    needs: ['language model', 'image model', 'workflow'],
    shown: true,
    async show(page) {
      await goTo(page, '#/api');
      const list = page.locator('tabd-requests');
      await list.waitFor();
      if ((await list.getByText('/webhook/ask').count()) === 0) await callEveryApi(page);
      await list.getByText('/webhook/ask').first().waitFor(LONG_WAIT);
      await list.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    },
  },
  {
    name: 'api-top',
    when: 'full',
    needs: ['language model'],
    async show(page) {
      await goTo(page, '#/');
      await goTo(page, '#/api');
      await page.getByRole('heading', { name: 'Use it from code' }).waitFor();
    },
  },
  {
    name: 'api-reference',
    when: 'full',
    async show(page) {
      await goTo(page, '#/api/reference');
      const chat = page.locator('summary', { hasText: '/api/chat' });
      await chat.waitFor();
      if (!(await page.getByText('Fields of the JSON body').isVisible())) await chat.click();
    },
  },
  {
    name: 'settings',
    when: 'full',
    async show(page) {
      await goTo(page, '#/settings');
      await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
    },
  },
  {
    name: 'selftest',
    when: 'full',
    async show(page) {
      await goTo(page, '#/selftest');
      await page.getByRole('heading', { name: 'Self-test' }).waitFor();
    },
  },
  {
    name: 'images',
    when: 'full',
    needs: ['image model', 'pictures'],
    async show(page) {
      await goTo(page, '#/images');
      await page.getByRole('listitem').getByRole('img').nth(2).waitFor();
    },
  },
  {
    name: 'graph',
    when: 'full',
    needs: ['image model', 'pictures'],
    shown: true,
    async show(page, size) {
      await goTo(page, '#/images/graph');
      await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
      const image = page.getByRole('img', { name: /^Image of/ }).first();
      if (!(await image.isVisible())) await page.getByRole('button', { name: 'Run', exact: true }).click();
      await image.waitFor(LONG_WAIT);
      const all = page.getByRole('button', { name: 'Fit view' });
      if (size === 'wide' && (await all.isVisible())) await all.click();
    },
  },
  {
    name: 'graph-outline',
    when: 'full',
    needs: ['image model', 'pictures'],
    async show(page) {
      await goTo(page, '#/images/graph');
      await page
        .getByRole('button', { name: 'Outline' })
        .or(page.getByRole('radio', { name: 'Outline' }))
        .first()
        .click();
      await page.waitForTimeout(300);
    },
  },
];

async function closeSheets(page: Page): Promise<void> {
  const done = page.getByRole('button', { name: 'Done', exact: true });
  if (await done.isVisible()) await done.click();
}

/** Sends requests to all APIs, for the page's list of requests. */
async function callEveryApi(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      await (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    };
    const get = async (path: string) => void (await (await fetch(path)).text());
    const messages = [{ role: 'user', content: 'What is the capital of France?' }];
    await get('/api/tags');
    await post('/api/chat', {
      model: 'smollm2:135m',
      messages,
      options: { temperature: 0, num_predict: 16 },
    });
    await post('/v1/chat/completions', { model: 'smollm2:135m', messages, temperature: 0, max_tokens: 16 });
    await post('/api/chat', { model: 'no-such-model', messages });
    await get('/object_info/KSampler');
    await get('/history?max_items=1');
    await post('/webhook/ask', { text: 'What is the capital of Spain?' });
  });
}
