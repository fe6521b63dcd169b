import { createAlertViews, toAlertView } from '../web/views/toAlertView.ts'
import { type CaseViewSource, toCaseSettings, toCaseView } from '../web/views/toCaseView.ts'
import { readStatus } from '../web/views/readStatus.ts'
import { sumDecimals, formatDecimal, toDecimal } from '../bridge/decimal.ts'
import { getCase } from '../cases/store/caseRows.ts'
import { formatKey, parseKey } from '../ledger/transfers/transferRows.ts'
import { cleanText } from '../lib/text.ts'
import type { AppParts } from '../monitor/createMonitor.ts'
import type {
  ShownAlert,
  ShownBridge,
  ShownCase,
  ShownMoney,
  ShownReader,
  ShownTransfer,
  Walked,
} from '../replicas/shown/rows.ts'
import { int, text } from '../store/table.ts'

/** Reads the tables that people query from the ledger, in the words of the status page. */
export function createShownReader(parts: AppParts): ShownReader {
  const { db, alerts } = parts
  const settings = toCaseSettings(parts.config)
  const source = () => ({
    ...createAlertViews(alerts, parts.live.rules, parts.clock.now(), parts.clockLeadMs()),
    ...settings,
  })
  return {
    transfers: (keys) => keys.flatMap((key) => readTransfer(parts, key)),
    cases: (keys) => withSource(source, keys, (views, key) => readCase(parts, views, key)),
    alerts: (keys) => withSource(source, keys, (views, key) => readAlert(parts, views, key)),
    days: (names) =>
      names.flatMap((day) => {
        const body = text.get(db, 'SELECT content FROM reports WHERE day = ?', day)
        return body === null ? [] : [{ day, body }]
      }),
    casesOf: (alert) => int.all(db, 'SELECT DISTINCT case_id FROM case_members WHERE alert_id = ?', alert),
    list: (table, after, limit) => int.all(db, listed[table], after, limit),
    listDays: () => text.all(db, 'SELECT day FROM reports'),
    listOpenCases: (limit) =>
      alerts.listLiveCases({ states: ['open', 'acknowledged'], limit }).map(({ id }) => id),
    bridge: () => readBridge(parts, settings),
  }
}

const listed: Readonly<Record<Walked, string>> = {
  transfers: 'SELECT key FROM transfers WHERE key > ? ORDER BY key LIMIT ?',
  cases: 'SELECT id FROM cases WHERE id > ? ORDER BY id LIMIT ?',
  alerts: 'SELECT id FROM alerts WHERE id > ? ORDER BY id LIMIT ?',
}

/** What views need is read once for all of them. */
function withSource<Row>(
  source: () => CaseViewSource,
  keys: readonly number[],
  read: (views: CaseViewSource, key: number) => Row[],
): Row[] {
  const views = source()
  return keys.flatMap((key) => read(views, key))
}

function readTransfer({ ledger }: AppParts, key: number): ShownTransfer[] {
  const transfer = ledger.getTransfer(formatKey(key))
  // One that was joined into another answers by its old name as well.
  if (transfer === null || transfer.key !== formatKey(key)) return []
  const { main, zone, token } = transfer
  return [
    {
      key,
      state: transfer.state,
      direction: transfer.direction,
      mainHash: main?.hash ?? null,
      zoneHash: zone?.hash ?? null,
      token: token.address,
      symbol: token.symbol,
      amount: transfer.amount,
      sender: cleanText(transfer.sourceAddress, 200),
      recipient: cleanText(transfer.targetAddress, 200),
      originAt: transfer.originAt,
      destinationAt: transfer.destinationAt,
    },
  ]
}

function readCase({ db }: AppParts, views: CaseViewSource, key: number): ShownCase[] {
  const row = getCase(db, key)
  // One that was merged goes on as another.
  if (row === null || row.state === 'merged') return []
  const view = toCaseView(views, row)
  return [
    {
      key,
      title: cleanText(view.title, 300),
      severity: view.severity,
      state: view.state,
      assignee: view.assignee,
      by: view.by,
      alerts: view.members,
      atRiskUsd: sumUsd(view.money),
      money: view.money.map(({ token, symbol, amount, usd }) => ({
        token,
        symbol: cleanText(symbol, 100),
        amount,
        usd,
      })),
      openedAt: view.openedAt,
      endedAt: view.closedAt,
    },
  ]
}

/** Of what has a price; null where nothing has one. */
function sumUsd(money: readonly Pick<ShownMoney, 'usd'>[]): string | null {
  const known = money.flatMap(({ usd }) => toDecimal(usd ?? '') ?? [])
  return known.length === 0 ? null : formatDecimal(sumDecimals(known))
}

/** What only waits was told to nobody, and what was joined goes on as another. */
const toldStates: ReadonlySet<string> = new Set(['new', 'delivered', 'firing', 'recovering', 'resolved'])

function readAlert({ alerts }: AppParts, views: CaseViewSource, key: number): ShownAlert[] {
  const row = alerts.getAlert(key)
  if (row === null || !toldStates.has(row.state)) return []
  const view = toAlertView(views, row)
  return [
    {
      key,
      id: view.id,
      caseId: view.case === null ? null : Number(view.case.id.slice(1)),
      rule: view.rule,
      kind: view.kind,
      severity: view.severity,
      state: view.state,
      subject: cleanText(row.subject, 300),
      summary: cleanText(view.summary, 600),
      transferKey: row.transferKey === null ? null : parseKey(row.transferKey),
      hashes: listHashes(`${view.title} ${view.summary} ${row.subject} ${JSON.stringify(view.facts)}`),
      since: view.since,
      endedAt: view.resolvedAt,
    },
  ]
}

const mostHashes = 50

/** Each once; hashes have 32 bytes. */
function listHashes(text: string): string[] {
  const found = text.toLowerCase().match(/0x[0-9a-f]{64}(?![0-9a-f])/g) ?? []
  return [...new Set(found)].slice(0, mostHashes)
}

/** How long transfers take says nothing to the verdict. */
const unknownNormal = { MainToZone: null, ZoneToMain: null }
const mostReasons = 50

function readBridge(parts: AppParts, settings: ReturnType<typeof toCaseSettings>): ShownBridge {
  const status = readStatus(parts, { normal: unknownNormal, settings }, parts.clock.now())
  const { explorer, http } = parts.config
  return {
    verdict: status.verdict.level,
    reasons: status.verdict.reasons.slice(0, mostReasons).map((reason) => cleanText(reason, 300)),
    mainChain: explorer.chains.main,
    zoneChain: explorer.chains.zone,
    pageUrl: http?.publicUrl ?? null,
    inFlight: status.totals.pending,
    program: status.version,
    coverage: status.coverage,
  }
}
