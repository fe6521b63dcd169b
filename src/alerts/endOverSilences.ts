import type { EngineContext } from './engineContext.ts'
import { isOverWell } from './transferSilence.ts'

/** How often silences that end with their transfer are looked at. */
const lookMs = 5_000

/** Ends the silences whose transfer is over well. What they held is listed, as at the end of any silence. */
export function endOverSilences(context: EngineContext): void {
  const { store, now, kinds, overLook } = context
  if (now >= overLook.at && now - overLook.at < lookMs) return
  overLook.at = now
  for (const silence of store.listSilencesAt(now)) {
    if (!isOverWell(store, silence, kinds)) continue
    store.endSilence(silence.id, now)
    store.hastenHeld(silence.id, now)
    const entry = {
      subject: `silence #${silence.id}`,
      what: 'silence ended',
      reason: `transfer ${silence.transfer?.key} is completed, and all its alerts have ended`,
    }
    context.log.info(entry, 'decision')
    store.recordDecision({ at: now, alertId: null, rule: '', ...entry })
  }
}
