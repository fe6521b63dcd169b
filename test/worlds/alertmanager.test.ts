import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { endAt, expected, groupIntervalMs, groupWaitMs, script, type Told } from '../support/fireAgain.ts'
import { hasProgram } from '../support/hasProgram.ts'
import { startAlertmanager } from '../support/startAlertmanager.ts'

/** The script through Alertmanager, in real time. */
async function tellByAlertmanager(): Promise<Told[]> {
  const manager = await startAlertmanager(
    `group_by: [alertname], group_wait: ${groupWaitMs}ms, group_interval: ${groupIntervalMs}ms, repeat_interval: 1h`,
  )
  onTestFinished(() => manager.close())
  const begunAt = Date.now()
  let before: readonly string[] = []
  for (const { at, firing } of script) {
    await pause(Math.max(begunAt + at - Date.now(), 0))
    const ending = before.filter((name) => !firing.includes(name))
    const post = [...firing, ...ending].map((name) => ({
      labels: { alertname: 'stalled', name },
      startsAt: new Date(Date.now() - 1_000).toISOString(),
      ...(ending.includes(name) && { endsAt: new Date().toISOString() }),
    }))
    const answer = await fetch(`${manager.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(post),
    })
    expect(answer.status).toBe(200)
    before = firing
  }
  await pause(Math.max(begunAt + endAt - Date.now(), 0))
  return manager.notifications.map(({ alerts }) => {
    const named = (status: string) =>
      alerts
        .filter((alert) => alert.status === status)
        .map(({ labels }) => labels['name'] ?? '')
        .sort()
    return { firing: named('firing'), resolved: named('resolved') }
  })
}

describe.runIf(hasProgram('prometheus-alertmanager'))('F53: beside Alertmanager', () => {
  test('one script of fire, resolve and fire again gives the notifications that ours gives', {
    timeout: 60_000,
  }, async () => {
    expect(await tellByAlertmanager()).toEqual(expected)
  })
})
