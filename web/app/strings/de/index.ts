/**
 * The German texts. `../language.ts` loads them before any other text is read. So modules here import only types and each
 * other: a module of the page would wait for itself.
 */
export * from './api.ts';
export * from './app.ts';
export * from './browsers.ts';
export * from './chat.ts';
export * from './chat-parts.ts';
export * from './cluster.ts';
export * from './common.ts';
export * from './dictation.ts';
export * from './graph.ts';
export * from './images.ts';
export * from './missing-models.ts';
export * from './model-files.ts';
export * from './models.ts';
export * from './reading.ts';
export * from './selftest.ts';
export * from './settings.ts';
export * from './workflows.ts';
