import type { Clock } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import { isObject } from '../lib/isObject.ts'
import { cleanText } from '../lib/text.ts'
import type { Query } from '../replicas/connect.ts'
import { type Actor, cleanActor } from '../store/actor.ts'

export interface Asked {
  readonly bridge: string
  readonly what: 'ack' | 'silence'
  /** As the API of the status page takes it, and for `ack` the case's `id`. */
  readonly body: object
  readonly actor: Actor
}

const waitMs = 10_000
const lookMs = 100

/**
 * Has the holder of a bridge do what somebody asks, and waits for its answer.
 * @throws MonitorError `usage` with what the holder has against it, `not_found`, `replica.unreachable` without an answer
 */
export async function askHolder(
  { query, clock }: { readonly query: Query; readonly clock: Pick<Clock, 'sleep' | 'monotonicMs'> },
  { bridge, what, body, actor }: Asked,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await query<{ id: string }>(
    `INSERT INTO spanwatch.requests (bridge, what, body, actor)
     SELECT bridge, $2, $3::jsonb, $4::jsonb FROM spanwatch.leases WHERE bridge = $1 RETURNING id`,
    [bridge, what, JSON.stringify(body), JSON.stringify(cleanActor(actor))],
  )
  if (row === undefined)
    throw new MonitorError('not_found', `There is no bridge ${cleanText(bridge, 80)} here.`)
  const until = clock.monotonicMs() + waitMs
  while (clock.monotonicMs() < until && !signal.aborted) {
    const [found] = await query<{ answer: unknown }>(
      'SELECT answer FROM spanwatch.requests WHERE id = $1 AND answered_at IS NOT NULL',
      [row.id],
    )
    if (found !== undefined) return readAnswer(found.answer)
    await clock.sleep(lookMs, signal)
  }
  throw new MonitorError(
    'replica.unreachable',
    `Nobody who watches ${cleanText(bridge, 80)} answered within ${waitMs / 1_000} s. It is done once somebody reads it: look again before you repeat it.`,
    { retryable: true },
  )
}

function readAnswer(answer: unknown): Readonly<Record<string, unknown>> {
  if (isObject(answer) && answer['ok'] === true) return answer
  const { error = null, code = null } = isObject(answer) ? answer : {}
  throw new MonitorError(
    code === 'not_found' ? code : 'usage',
    typeof error === 'string' ? cleanText(error, 600) : 'It was not done, and no reason was given.',
  )
}
