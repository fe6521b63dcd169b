import type { Check, Panel, Sample } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { sayDuration } from '../../lib/sayTime.ts'
import { shortHash } from '../../lib/shortHash.ts'
import { type ProbeFact, type ProbesPart, givenProbes } from './facts.ts'
import { probesKept } from './kept.ts'
import { probeMissed } from './missed.ts'
import { type ProbeLine, readProbeLine } from './line.ts'
import { noteSince, type Prober, readProbe, readSince, toProbers } from './store.ts'

/** Transfers of known probers: whether they come through, and how long they take. It sends none, and asks nothing. */
export const probes: Check<ProbesPart> = {
  name: 'probes',
  kinds: [probeMissed],
  given: givenProbes,
  kept: probesKept,
  metrics: [
    {
      type: 'gauge',
      name: 'spanwatch_probe_last_latency_seconds',
      help: 'How long the newest probe took that came through.',
      labels: ['address', 'direction'],
    },
    {
      type: 'gauge',
      name: 'spanwatch_probe_latency_seconds',
      help: 'How long probes took that left in the past day: the median, 95 % and the longest.',
      labels: ['address', 'direction', 'quantile'],
    },
    {
      type: 'gauge',
      name: 'spanwatch_probe_last_through_timestamp_seconds',
      help: 'When the newest probe left that came through.',
      labels: ['address', 'direction'],
    },
  ],
  open(kernel) {
    const { clock, config, db } = kernel
    const probers = toProbers(config.bridge)
    const list = () => listProbes(kernel, probers)
    const lines = (now: UnixMs) => list().map((probe) => readProbeLine(db, probe, now))
    return {
      pollers: [],
      start: () => db.transaction(() => noteSince(db, probers, clock.now())),
      facts: () => ({ probes: { shownUntil: kernel.horizons.read().list, list: list() } }),
      metrics: () => toMetrics(lines(clock.now())),
      ...(probers.length > 0 && { panel: (now: UnixMs) => toPanel(lines(now), now) }),
    }
  },
}

function listProbes(
  { db, startedAt }: Pick<Kernel, 'db' | 'startedAt'>,
  probers: readonly Prober[],
): ProbeFact[] {
  return probers.map((prober) => readProbe(db, prober, readSince(db, prober) ?? startedAt))
}

function toMetrics(lines: readonly ProbeLine[]): Readonly<Record<string, readonly Sample[]>> {
  const labelsOf = ({ address, direction }: ProbeLine) => ({ address, direction })
  return {
    spanwatch_probe_last_latency_seconds: lines.flatMap((line): Sample[] =>
      line.last === null ? [] : [[labelsOf(line), line.last.latencyMs / 1_000]],
    ),
    spanwatch_probe_latency_seconds: lines.flatMap((line): Sample[] => {
      const { day } = line
      if (day === null) return []
      const quantiles = [
        ['0.5', day.p50],
        ['0.95', day.p95],
        ['1', day.most],
      ] as const
      return quantiles.map(([quantile, ms]) => [{ ...labelsOf(line), quantile }, ms / 1_000])
    }),
    spanwatch_probe_last_through_timestamp_seconds: lines.flatMap((line): Sample[] =>
      line.last === null ? [] : [[labelsOf(line), line.last.leftAt / 1_000]],
    ),
  }
}

function toPanel(lines: readonly ProbeLine[], now: UnixMs): Panel {
  return {
    id: 'probes',
    title: 'Probes',
    lines: lines.map((line) => ({
      name: `${shortHash(line.address)}, ${line.direction === 'MainToZone' ? 'main to zone' : 'zone to main'}`,
      value: sayLine(line, now),
    })),
  }
}

function sayLine({ last, open, day }: ProbeLine, now: UnixMs): string {
  const through =
    last === null
      ? 'none has come through yet'
      : `left ${sayDuration(now - last.leftAt)} ago, took ${sayDuration(last.latencyMs)}`
  const usual = day === null ? '' : `, usually ${sayDuration(day.p50)}`
  return `${through}${usual}${open === null ? '' : `; ${open.count} under way or failed since`}`
}
