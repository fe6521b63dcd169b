import { isObject } from '../../src/lib/isObject.ts'
import { type ChannelServer, startChannelServer } from './channelServer.ts'

/** What Alertmanager refuses; the real one is in startAlertmanager.ts. */
export function startFakeAlertmanager(): Promise<ChannelServer> {
  return startChannelServer(({ path, body }) => {
    if (path !== '/api/v2/alerts') return { status: 404 }
    const alerts: unknown = JSON.parse(body)
    if (!Array.isArray(alerts) || !alerts.every(isGood)) return { status: 400, body: '"invalid alert"' }
    return { status: 200 }
  })
}

function isGood(alert: unknown): boolean {
  if (!isObject(alert) || !isObject(alert['labels'])) return false
  const labels = Object.entries(alert['labels'])
  const [startsAt, endsAt] = [alert['startsAt'], alert['endsAt']].map((at) => Date.parse(String(at)))
  const url = alert['generatorURL']
  return (
    labels.length > 0 &&
    labels.every(([name, value]) => /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) && typeof value === 'string') &&
    (startsAt ?? Number.NaN) <= (endsAt ?? Number.NaN) &&
    (url === undefined || (typeof url === 'string' && URL.canParse(url)))
  )
}
