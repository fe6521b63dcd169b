import { findCaseNamed } from '../../alerts/caseOperations.ts'
import { findAlert, type Operations } from '../../alerts/operations.ts'
import type { BreakOperations } from '../../breaks/operations.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import {
  type Place,
  readHashEnds,
  type TransferFilter as LedgerFilter,
} from '../../ledger/transfers/transferFilter.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { AppParts } from '../../monitor/createMonitor.ts'
import { completeHash } from '../../store/hash.ts'
import type { AlertView } from '../caseTypes.ts'
import type { AlertQuery, TransferFilter, TransferPage, WebDeps, WebOperations } from '../types.ts'
import { findTokens } from '../namedTokens.ts'
import { listOpenBySeverity, searchAlerts } from './pageQueries.ts'
import { toAlertStory } from './toAlertStory.ts'
import { createAlertViews, toAlertView } from './toAlertView.ts'
import {
  type CaseSettings,
  type CaseStorySource,
  listCaseViews,
  toCaseStory,
  toFinding,
} from './toCaseView.ts'
import { toStory } from './toStory.ts'

export const mostListed = 500

const mostFound = 50

/** Alerts, and what names them. */
export function readNamed(
  parts: AppParts,
  settings: CaseSettings,
  now: () => UnixMs,
): Pick<WebDeps, 'listAlerts' | 'showAlert' | 'listCases' | 'showCase' | 'showTransfer'> {
  const { alerts, db, stakes } = parts
  const views = () => ({
    ...createAlertViews(alerts, parts.live.rules, now(), parts.clockLeadMs()),
    ...settings,
  })
  return {
    listAlerts: (query) => listAlerts(parts, views(), query),
    showAlert: (id) => toAlertStory(views(), findAlert(alerts, id), settings.links),
    listCases: (query) => listCaseViews({ ...views(), db, riskOf: (...of) => stakes.riskOf(...of) }, query),
    showCase: (id) => toCaseStory(views(), findCaseNamed(alerts, id)),
    showTransfer: (name) =>
      showTransfer(parts, name).map((transfer) => toStory(parts, views(), transfer, now())),
  }
}

function listAlerts(
  { alerts, db }: AppParts,
  source: CaseStorySource,
  { text, case: caseId, bySeverity = false, limit = mostListed, offset = 0, ...query }: AlertQuery,
): AlertView[] {
  if (caseId !== undefined)
    return alerts
      .listCaseAlerts(findCaseNamed(alerts, caseId).id, limit, offset)
      .map((row) => toFinding(source, row))
  const rows =
    text !== undefined
      ? searchAlerts(db, text, mostFound)
      : bySeverity
        ? listOpenBySeverity(db, limit, offset)
        : alerts.listAlerts({ ...query, limit, offset })
  return rows.map((row) => toAlertView(source, row))
}

/** What a person changed shows at once. */
export function forgetAfter(
  operations: Operations & BreakOperations & Pick<WebOperations, 'rewindCursors'>,
  forget: () => unknown,
  showCase: WebDeps['showCase'],
): WebOperations {
  const then = <T>(result: T): T => (forget(), result)
  return {
    ackAlert: (...given) => then(operations.ackAlert(...given)),
    changeCase: (...given) => showCase(`c${then(operations.changeCase(...given)).id}`),
    addSilence: (...given) => then(operations.addSilence(...given)),
    previewSilence: (input) => operations.previewSilence(input),
    expireSilence: (...given) => then(operations.expireSilence(...given)),
    retryOutbox: (...given) => then(operations.retryOutbox(...given)),
    dropOutbox: (...given) => then(operations.dropOutbox(...given)),
    matchBreaks: (...given) => then(operations.matchBreaks(...given)),
    writeOffBreak: (...given) => then(operations.writeOffBreak(...given)),
    undoEntry: (...given) => then(operations.undoEntry(...given)),
    rewindCursors: (...given) => then(operations.rewindCursors(...given)),
  }
}

export function listTransfers(parts: AppParts, filter: TransferFilter, now: UnixMs): TransferPage {
  const { tokens } = parts.config.bridge
  const text = filter.text === null ? {} : toTextFilter(filter.text, tokens)
  const named = filter.token === null ? null : (findTokens(filter.token, tokens) ?? [])
  if (named !== null && text.token !== undefined && !named.includes(text.token.toLowerCase()))
    return { transfers: [], next: null }
  const { transfers, next } = parts.ledger.pageTransfers({
    ...text,
    ...(filter.state !== null && { state: filter.state }),
    ...(filter.direction !== null && { direction: filter.direction }),
    ...(named !== null && toTokenFilter(named)),
    ...(filter.minAgeMs !== null && { originAtOrBefore: now - filter.minAgeMs }),
    limit: filter.limit,
    after: filter.cursor === null ? null : readCursor(filter.cursor),
  })
  return { transfers, next: next && `${next.originAt}-${next.key}` }
}

/** One address is found by an index. */
function toTokenFilter(contracts: readonly string[]): Pick<LedgerFilter, 'token' | 'tokens'> {
  const [only = ''] = contracts
  return contracts.length === 1 && only !== '' ? { token: only } : { tokens: contracts }
}

/** The query was read: it has both numbers. */
function readCursor(cursor: string): Place {
  const [originAt = 0, key = 0] = cursor.split('-').map(Number)
  return { originAt, key }
}

type Named = Pick<AppParts['config']['bridge']['tokens'][number], 'symbol' | 'address'>

/**
 * Addresses have 20 bytes, short forms are cut in the middle, symbols are the configured ones; everything else names
 * transactions or transfers.
 */
export function toTextFilter(
  text: string,
  tokens: readonly Named[] = [],
): Pick<LedgerFilter, 'address' | 'hash' | 'ends' | 'token'> {
  const ends = readHashEnds(text)
  if (ends !== null) return { ends }
  const address = completeHash(text)
  if (/^0x[0-9a-f]{40}$/i.test(address)) return { address }
  const token = addressOf(text, tokens)
  return token === null ? { hash: text } : { token }
}

function addressOf(symbol: string, tokens: readonly Named[]): string | null {
  return tokens.find((one) => one.symbol.toLowerCase() === symbol.toLowerCase())?.address ?? null
}

/** By key, alias, id or hash; one hash can be of many transfers. */
function showTransfer(parts: Pick<AppParts, 'ledger'>, name: string): Transfer[] {
  const direct = parts.ledger.getTransfer(name)
  return direct ? [direct] : parts.ledger.listTransfers({ hash: name, limit: 200 })
}
