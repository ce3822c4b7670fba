import type { Page } from '@playwright/test';
import { modelVariant } from '../../support/local-models/model-variants.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import type { EngineAnswer, EngineQuestion, FixtureWorker } from '../fixture/host.worker.ts';
import { fixtureSite, type Site } from './fixture-site.ts';

export const WEIGHTS_FILE_PATH = '/weights.gguf';
/** A model of only the first layers: long prompts take a tenth of the time, and the answers make no sense. */
export const QUICK_PATH = '/quick.gguf';

export async function siteWithWeights(isolated: boolean, oldBrowser = false): Promise<Site> {
  const files = { [WEIGHTS_FILE_PATH]: await smollm2(), [QUICK_PATH]: await modelVariant('smollm2-quick') };
  return fixtureSite({ isolated, oldBrowser, files });
}

type Calls = { [K in keyof FixtureWorker]: FixtureWorker[K] };

/** Calls the worker of the fixture page from the test. */
export function fixtureOf(page: Page): {
  call<K extends keyof Calls>(name: K, ...args: Parameters<Calls[K]>): Promise<Awaited<ReturnType<Calls[K]>>>;
  generate(id: number, ask: EngineQuestion): Promise<EngineAnswer>;
} {
  const call = <K extends keyof Calls>(name: K, ...args: Parameters<Calls[K]>) =>
    page.evaluate(
      ([method, values]) =>
        (window.fixture as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>)[
          method as string
        ]!(...(values as unknown[])),
      [name, args],
    ) as Promise<Awaited<ReturnType<Calls[K]>>>;
  return { call, generate: (id, ask) => call('generate', id, ask) };
}

export const CHAT = (text: string) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
