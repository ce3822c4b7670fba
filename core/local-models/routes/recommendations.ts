import { jsonResponse } from '../../http/respond.ts';
import { entries } from '../registry/catalogue.ts';

/** `GET /api/experimental/model-recommendations`: what the catalogue has for somebody without a model. */
export const recommendations = () =>
  jsonResponse({ recommendations: entries.map(({ name, description }) => ({ model: name, description })) });
