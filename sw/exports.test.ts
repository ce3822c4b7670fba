/** Types of the export `tabd/sw`. The type check fails when one of them changes. */
import { expectTypeOf, it } from 'vitest';
import type { ApiName, HandleOptions, handle } from './handle.ts';

it('handle takes any event with optional options, and says synchronously whether it answers', () => {
  expectTypeOf<typeof handle>().parameters.toEqualTypeOf<[event: Event, options?: HandleOptions]>();
  expectTypeOf<typeof handle>().returns.toEqualTypeOf<boolean>();
  expectTypeOf<FetchEvent>().toExtend<Parameters<typeof handle>[0]>();
  expectTypeOf<ExtendableMessageEvent>().toExtend<Parameters<typeof handle>[0]>();
});

it('the options name the APIs, and the rest is optional', () => {
  expectTypeOf<{ apis: readonly ApiName[] }>().toExtend<HandleOptions>();
  expectTypeOf<Record<never, never>>().not.toExtend<HandleOptions>();
  expectTypeOf<ApiName>().toEqualTypeOf<'local-models' | 'image-workflows' | 'webhooks'>();
  expectTypeOf<HandleOptions['prefix']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<HandleOptions['reach']>().toEqualTypeOf<'listed' | 'whole' | undefined>();
  expectTypeOf<HandleOptions['intercept']>().toEqualTypeOf<true | readonly string[] | undefined>();
});
