import type { SlackAppConfig } from '../../../src/delivery/channels/slackApp/openApp.ts'
import { Secret } from '../../../src/lib/secret.ts'
import type { FakeSlack } from './fakeSlack.ts'

/** A channel of the fake Slack; with `buttons` the app listens for presses. */
export function slackAppTo(
  slack: Pick<FakeSlack, 'url' | 'tokens' | 'channelId'>,
  overrides: Partial<SlackAppConfig> & { readonly buttons?: boolean } = {},
): SlackAppConfig {
  const { buttons = false, ...rest } = overrides
  return {
    name: 'ops',
    type: 'slack-app',
    token: new Secret(slack.tokens.bot),
    ...(buttons && { appToken: new Secret(slack.tokens.app) }),
    channel: slack.channelId,
    url: new Secret(slack.url),
    ...rest,
  }
}
