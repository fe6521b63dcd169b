import type { Clock } from '../../lib/clock.ts'
import { type ClassifyOptions, classifyHttp } from './classifyHttp.ts'
import type { DeliveryResult } from './message.ts'
import { jsonHeaders, type PostDeps, postOnce } from './postOnce.ts'

/** What every channel over HTTP is given. */
export interface HttpChannelDeps extends Partial<PostDeps> {
  readonly clock: Pick<Clock, 'now'>
}

/** A service that takes JSON, and how it answers. */
interface JsonReceiver extends Omit<ClassifyOptions, 'host' | 'now'> {
  readonly http: PostDeps
  readonly clock: Pick<Clock, 'now'>
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one body, once, and says what came of it. */
export async function postJson(
  receiver: JsonReceiver,
  body: unknown,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { http, clock, url, headers = jsonHeaders } = receiver
  const outcome = await postOnce(http, { url: url.href, headers, body: JSON.stringify(body), signal })
  return classifyHttp(outcome, { ...receiver, host: url.host, now: clock.now() })
}
