import type { Config } from '../config/config.ts'
import { errorText } from '../lib/errors.ts'
import { problemAt, type YamlDoc, type YamlProblem } from '../lib/yamlProblems.ts'
import { createSystemClock } from '../lib/clock.ts'
import { createChannel } from '../delivery/channels/createChannel.ts'

/** What a channel refuses of its settings when it is made. None is connected to, and none keeps anything open. */
export async function checkChannels(doc: YamlDoc, { channels }: Config): Promise<YamlProblem[]> {
  const problems = await Promise.all(
    channels.map(async (settings): Promise<YamlProblem[]> => {
      try {
        await createChannel(
          { clock: createSystemClock(), write: () => undefined, color: false },
          settings,
        ).close()
        return []
      } catch (error) {
        return [problemAt(doc, ['channels', settings.name], errorText(error))]
      }
    }),
  )
  return problems.flat()
}
