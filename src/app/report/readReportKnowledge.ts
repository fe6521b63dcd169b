import type { DayWindow } from '../../domain/reportDay.ts'
import type { Database } from '../../store/database.ts'
import type { AppConfig } from '../appConfig.ts'
import type { ReportSources } from './buildDailyReport.ts'

/** What the other parts kept of a day. A part that is not configured, or kept nothing, leaves its section unknown. */
export function readReportKnowledge(
  _db: Database,
  _bridge: AppConfig['bridge'],
  _window: DayWindow,
): ReportSources['knows'] {
  return {}
}
