/**
 * What a daemon takes that watches: `npm run bench:watching -- [minutes]`. The program in a process of its own, with the
 * shipped polls and rules and every second source, against a sandbox in another: a quiet bridge, and a busy one with a
 * transfer a second and its preconfirmations. The first minute is not counted: that is the start and the first walk.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { note } from './support/figures.ts'
import { readCpuSeconds, readResident, watchSandbox } from './support/sandboxDaemon.ts'

const minutes = Number(process.argv[2] ?? 5)
const worlds = [
  { name: 'quiet', transfersPerMinute: 0, megabytes: 110, cpuSeconds: 30 },
  { name: 'busy', transfersPerMinute: 60, megabytes: 180, cpuSeconds: 80 },
] as const

for (const { name, transfersPerMinute, megabytes, cpuSeconds } of worlds) {
  const scenario = `name: ${name}\nseed: 7\ntraffic: { transfersPerMinute: ${transfersPerMinute} }\nhistory: { for: 10m, transfers: 30 }\ntimeline: []\n`
  const { daemon, end } = await watchSandbox(scenario)
  await sleep(60_000)
  const before = readCpuSeconds(daemon.pid)
  await sleep(minutes * 60_000)
  const spent = readCpuSeconds(daemon.pid) - before
  note({
    name: `resident while watching, ${name}`,
    value: readResident(daemon.pid, 'VmRSS'),
    unit: 'MB',
    target: { atMost: megabytes },
  })
  note({
    name: `CPU of an hour, ${name}`,
    value: (spent * 60) / minutes,
    unit: 's',
    target: { atMost: cpuSeconds },
  })
  await end()
}
