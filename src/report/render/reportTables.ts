import type { DailyReport, TransferLine } from '../dailyReport.ts'
import { listBreakTables } from './breakTables.ts'
import type { ReportTable } from './reportTable.ts'
import { sayCases } from '../summarizeCases.ts'
import {
  directionLabel,
  durationLabel,
  shareLabel,
  sumLabel,
  timeLabel,
  tokenLabel,
  unknownText,
} from './reportWords.ts'

/** All sections in their order: money first, then what went wrong, then how far it can be trusted. */
export function listReportTables(report: DailyReport): ReportTable[] {
  return [
    flowTable(report),
    ...(report.restated === null || report.restated.length === 0 ? [] : [restatedTable(report)]),
    findingTable(report),
    ...(report.breaks === undefined ? [] : listBreakTables(report, report.breaks)),
    oldestTable(report),
    legTable(report),
    latencyTable(report),
    escrowTable(report),
    preconfTable(report),
    coverageTable(report),
  ]
}

const text = (name: string) => ({ name, isNumber: false })
const number = (name: string) => ({ name, isNumber: true })

function flowTable({ flows }: DailyReport): ReportTable {
  const parts = ['opening', 'started', 'completed', 'failed', 'closing'] as const
  return {
    title: 'Reconciliation',
    note: 'In flight at the start of the day + started − completed − failed = in flight at its end, by block times.',
    columns: [
      text('Token'),
      text('Direction'),
      ...parts.flatMap((name) => [number(name), number(`${name} amount`)]),
    ],
    rows: flows.map((flow) => [
      tokenLabel(flow.token),
      directionLabel(flow.direction),
      ...parts.flatMap((name) => [String(flow[name].count), sumLabel(flow[name])]),
    ]),
    none: 'No transfer was under way.',
  }
}

function restatedTable({ restated }: DailyReport): ReportTable {
  return {
    title: 'Restated',
    note: 'Records of earlier days that came or changed after that day was reported: the opening is not the last closing.',
    columns: [
      text('Token'),
      text('Direction'),
      number('Reported'),
      number('amount'),
      number('Known now'),
      number('amount now'),
    ],
    rows: (restated ?? []).map(({ token, direction, reported, known }) => [
      tokenLabel(token),
      directionLabel(direction),
      String(reported.count),
      sumLabel(reported),
      String(known.count),
      sumLabel(known),
    ]),
    none: '',
  }
}

function findingTable({ findings, alerts, cases, window }: DailyReport): ReportTable {
  return {
    title: 'Findings',
    note: `${alerts.told} raised, ${alerts.suppressed} suppressed.${cases === undefined ? '' : ` ${sayCases(cases)}`}`,
    columns: [text('Severity'), text('Kind'), number('Count'), text('The largest of them')],
    rows: findings.map(({ severity, kind, count, examples }) => [
      severity.toUpperCase(),
      kind,
      String(count),
      examples
        .slice(0, 3)
        .map(({ title, at }) => `${timeLabel(at, window.zone)} ${title}`)
        .join('\n'),
    ]),
    none: 'Nothing was found.',
  }
}

function oldestTable({ oldest, window }: DailyReport): ReportTable {
  const hashOf = ({ mainHash, zoneHash }: TransferLine) =>
    [mainHash, zoneHash].filter((hash) => hash !== null).join(' ')
  return {
    title: 'Oldest in flight at the end of the day',
    note: '',
    columns: [
      text('Since'),
      text('Direction'),
      number('Amount'),
      text('Token'),
      text('Transaction'),
      text('Key'),
    ],
    rows: oldest.map((line) => [
      timeLabel(line.originAt, window.zone),
      directionLabel(line.direction),
      line.amount ?? 'unknown',
      tokenLabel(line.token),
      hashOf(line),
      line.key,
    ]),
    none: 'Nothing was in flight.',
  }
}

function legTable({ legs }: DailyReport): ReportTable {
  return {
    title: 'Legs',
    note: 'What left and what arrived in the day, chain by chain.',
    columns: [text('Chain'), text('Direction'), text('Part'), number('Count')],
    rows: legs.map(({ chain, direction, part, count }) => [
      chain,
      directionLabel(direction),
      part === 'origin' ? 'left' : 'arrived',
      String(count),
    ]),
    none: 'No legs.',
  }
}

function latencyTable({ latencies }: DailyReport): ReportTable {
  return {
    title: 'Latency',
    note: 'From the origin to the destination leg; in brackets the 30 days before.',
    columns: [
      text('Token'),
      text('Direction'),
      number('Samples'),
      number('p50'),
      number('p95'),
      number('p99'),
    ],
    rows: (latencies ?? []).map(({ token, direction, samples, past, ...day }) => [
      tokenLabel(token),
      directionLabel(direction),
      `${samples} (${past.samples})`,
      ...(['p50', 'p95', 'p99'] as const).map(
        (name) => `${durationLabel(day[name])} (${durationLabel(past[name])})`,
      ),
    ]),
    none: latencies === null ? unknownText : 'No transfer arrived.',
  }
}

function escrowTable({ escrows, window }: DailyReport): ReportTable {
  return {
    title: 'Escrow against ledger',
    note: 'At the newest block where both are known. Owed: the balance at the start + deposits − withdrawals since.',
    columns: [text('Token'), number('Holds'), number('Owes'), number('In transit'), text('As of')],
    rows: (escrows ?? []).map(({ token, holds, owes, inTransit, at }) => [
      tokenLabel(token),
      holds ?? 'unknown',
      owes ?? 'unknown',
      inTransit ?? 'unknown',
      at === null ? 'never' : timeLabel(at, window.zone),
    ]),
    none: escrows === null ? unknownText : 'No escrow is watched.',
  }
}

function preconfTable({ preconf }: DailyReport): ReportTable {
  const counts = ['seen', 'kept', 'moved', 'flipped', 'dropped', 'unknown'] as const
  return {
    title: 'Preconfirmations',
    note: 'Hit rate: the share of canonical transactions that had been preconfirmed. Unknown: could not be checked.',
    columns: [...counts.map(number), number('hit rate'), number('mean lead')],
    rows:
      preconf === null
        ? []
        : [
            [
              ...counts.map((name) => String(preconf[name])),
              preconf.hitRate === null ? 'unknown' : shareLabel(preconf.hitRate),
              durationLabel(preconf.leadMs),
            ],
          ],
    none: unknownText,
  }
}

function coverageTable({ coverage, window }: DailyReport): ReportTable {
  return {
    title: 'Coverage',
    note: 'The share of the day in which each source was really observed. What happened in a gap may be missing above.',
    columns: [text('Source'), number('Observed'), text('Gaps')],
    rows: (coverage ?? []).map(({ source, share, gaps, note }) => [
      source,
      note === null ? shareLabel(share) : `${shareLabel(share)} ${note}`,
      gaps
        .map(({ from, until }) => `${timeLabel(from, window.zone)} to ${timeLabel(until, window.zone)}`)
        .join('\n') || 'none',
    ]),
    none: unknownText,
  }
}
