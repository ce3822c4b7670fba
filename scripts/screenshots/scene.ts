import type { Page } from '@playwright/test';

/** Content that scenes need before they are shown. */
export type SceneRequirement = 'language model' | 'image model' | 'pictures' | 'chats' | 'workflow';

/** A screen of the app. */
export interface Scene {
  name: string;
  /** `empty`: before any download. `full`: with content. */
  when: 'empty' | 'full';
  needs?: SceneRequirement[];
  /** Whether the documentation uses it. */
  shown?: true;
  show(page: Page, size: 'wide' | 'narrow'): Promise<void>;
}
