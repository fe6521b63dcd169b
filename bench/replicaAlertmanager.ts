/**
 * `npm run bench:replica-alertmanager [kills]`: two Alertmanagers of Debian as one cluster, on the work of bench:replica-kills: a new
 * alert every 4 s, sent to both and again every 5 s as Prometheus does; every 16 s one of them is killed (-9), and comes
 * back after 10 s. How many notifications came twice, how many never.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startChannelServer } from '../test/support/channelServer.ts'

const kills = Number(process.argv[2] ?? 30)
const killEveryMs = 16_000
const awayMs = 10_000
const alertEveryMs = 4_000
const resendMs = 5_000

interface Member {
  readonly name: string
  readonly port: number
  readonly gossip: number
  process: ChildProcess | null
}

interface Notification {
  readonly alerts: readonly { readonly status: string; readonly labels: { readonly id: string } }[]
}

const folder = mkdtempSync(join(tmpdir(), 'spanwatch-cluster-'))
const hook = await startChannelServer(() => ({ status: 200 }))
const members: Member[] = []
for (const name of ['a', 'b'])
  members.push({ name, port: await freePort(), gossip: await freePort(), process: null })
try {
  for (const member of members) await launch(member)
  const until = Date.now() + kills * killEveryMs
  const sent: { readonly id: string; readonly startsAt: string }[] = []
  await Promise.all([sendNew(sent, until), resend(sent, until + 30_000), kill(until)])
  await pause(5_000)
  const told = hook.posted
    .flatMap(({ body }) => (JSON.parse(body) as Notification).alerts)
    .filter(({ status }) => status === 'firing')
    .map(({ labels }) => labels.id)
  const counts = Map.groupBy(told, (id) => id)
  const twice = [...counts.values()].filter((list) => list.length > 1).length
  const lost = sent.filter(({ id }) => !counts.has(id)).length
  console.log(
    `Alertmanager, a cluster of two: ${kills} kills -9, ${sent.length} alerts: told ${counts.size}, lost ${lost}, told twice ${twice}`,
  )
} finally {
  for (const member of members) await end(member)
  await hook.close()
  rmSync(folder, { recursive: true, force: true })
}

async function launch(member: Member): Promise<void> {
  const home = join(folder, member.name)
  mkdirSync(home, { recursive: true })
  const route = '{ receiver: hook, group_by: [id], group_wait: 0s, group_interval: 1s, repeat_interval: 4h }'
  writeFileSync(
    join(home, 'config.yml'),
    `route: ${route}\nreceivers: [{ name: hook, webhook_configs: [{ url: "${hook.url}", send_resolved: false }] }]\n`,
  )
  member.process = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${join(home, 'config.yml')}`,
      `--storage.path=${home}`,
      `--web.listen-address=127.0.0.1:${member.port}`,
      `--cluster.listen-address=127.0.0.1:${member.gossip}`,
      ...members.filter((one) => one !== member).map((one) => `--cluster.peer=127.0.0.1:${one.gossip}`),
    ],
    { stdio: 'ignore' },
  )
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${member.port}/-/ready`).catch(() => null)
    if (answer?.ok) return
    await pause(50)
  }
}

async function end(member: Member): Promise<void> {
  const running = member.process
  member.process = null
  if (running === null || running.exitCode !== null) return
  const ended = once(running, 'exit')
  running.kill('SIGKILL')
  await ended
}

async function sendNew(sent: { id: string; startsAt: string }[], until: number): Promise<void> {
  while (Date.now() < until) {
    const alert = { id: String(sent.length), startsAt: new Date().toISOString() }
    sent.push(alert)
    await post([alert])
    await pause(alertEveryMs)
  }
}

async function resend(sent: readonly { id: string; startsAt: string }[], until: number): Promise<void> {
  while (Date.now() < until) {
    await pause(resendMs)
    await post(sent)
  }
}

async function post(alerts: readonly { id: string; startsAt: string }[]): Promise<void> {
  const body = JSON.stringify(
    alerts.map(({ id, startsAt }) => ({ labels: { alertname: 'TransferFailed', id }, startsAt })),
  )
  await Promise.all(
    members.map((member) =>
      fetch(`http://127.0.0.1:${member.port}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null),
    ),
  )
}

async function kill(until: number): Promise<void> {
  while (Date.now() + killEveryMs <= until + 1_000) {
    const [member] = members.toSorted(() => Math.random() - 0.5)
    if (member === undefined) return
    await pause(Math.random() * (killEveryMs - awayMs))
    await end(member)
    const at = Date.now()
    await pause(awayMs)
    await launch(member)
    await pause(Math.max(killEveryMs - (Date.now() - at), 0))
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
