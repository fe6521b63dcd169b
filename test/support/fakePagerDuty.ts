import { isObject } from '../../src/lib/isObject.ts'
import { type ChannelAnswer, type ChannelServer, startChannelServer } from './channelServer.ts'

export const routingKey = 'r0utingkey0000000000000000000000'

/** An alert as PagerDuty keeps it. */
interface PagerDutyAlert {
  state: 'triggered' | 'acknowledged' | 'resolved'
  readonly summary: string
  readonly severity: string
}

export interface FakePagerDuty extends ChannelServer {
  /** By deduplication key, the newest alert of each. */
  readonly alerts: Map<string, PagerDutyAlert>
  /** Times that somebody's telephone rang. */
  readonly rings: string[]
}

/** The Events API v2 as far as it is documented: required fields, lengths, what each action does to an alert. */
export async function startFakePagerDuty(): Promise<FakePagerDuty> {
  const alerts = new Map<string, PagerDutyAlert>()
  const rings: string[] = []
  const server = await startChannelServer(({ path, body }) => {
    if (path !== '/v2/enqueue') return { status: 404, body: '' }
    if (Buffer.byteLength(body) > 512 * 1_024) return { status: 413, body: '' }
    const event: unknown = JSON.parse(body)
    const errors = isObject(event) ? findErrors(event) : ['not an object']
    if (!isObject(event) || errors.length > 0) return refusal(errors)
    apply(event)
    const dedup_key = event['dedup_key']
    return accepted({ status: 'success', message: 'Event processed', dedup_key })
  })
  function apply(event: Readonly<Record<string, unknown>>): void {
    const key = String(event['dedup_key'])
    const known = alerts.get(key)
    const open = known?.state === 'resolved' ? undefined : known
    if (event['event_action'] === 'resolve' && open) open.state = 'resolved'
    if (event['event_action'] === 'acknowledge' && open) open.state = 'acknowledged'
    if (event['event_action'] !== 'trigger' || open) return
    const payload = isObject(event['payload']) ? event['payload'] : {}
    rings.push(key)
    alerts.set(key, {
      state: 'triggered',
      summary: String(payload['summary']),
      severity: String(payload['severity']),
    })
  }
  return Object.assign(server, { alerts, rings })
}

function accepted(body: object): ChannelAnswer {
  return { status: 202, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

export function refusal(errors: readonly string[]): ChannelAnswer {
  const body = { status: 'invalid event', message: 'Event object is invalid', errors }
  return { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

const actions: readonly unknown[] = ['trigger', 'acknowledge', 'resolve']
const severities: readonly unknown[] = ['critical', 'error', 'warning', 'info']

function findErrors(event: Readonly<Record<string, unknown>>): string[] {
  const payload = event['payload']
  const problems: [boolean, string][] = [
    [event['routing_key'] === routingKey, 'Invalid routing key'],
    [actions.includes(event['event_action']), "'event_action' is missing or blank"],
    [isText(event['dedup_key'], 255), "Length of 'dedup_key' is incorrect"],
    [event['event_action'] !== 'trigger' || isObject(payload), "'payload' is missing or blank"],
  ]
  if (isObject(payload)) {
    const at = payload['timestamp']
    problems.push(
      [isText(payload['summary'], 1_024), "Length of 'summary' is incorrect"],
      [isText(payload['source'], 1_024), "'payload.source' is missing or blank"],
      [severities.includes(payload['severity']), "'payload.severity' is invalid"],
      [
        at === undefined || (typeof at === 'string' && !Number.isNaN(Date.parse(at))),
        "'payload.timestamp' is invalid",
      ],
    )
  }
  for (const link of Array.isArray(event['links']) ? event['links'] : []) {
    problems.push([isObject(link) && URL.canParse(String(link['href'])), "'links' is invalid"])
  }
  return problems.filter(([isFine]) => !isFine).map(([, error]) => error)
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= most
}
