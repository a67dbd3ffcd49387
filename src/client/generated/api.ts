/**
 * Bodies of the gateway's API, generated from its OpenAPI document by bun run generate. Do not edit.
 *
 * @module
 */
export interface components {
    schemas: {
        /** @description An account's request to read a feed. */
        AccessRequest: {
            /**
             * Format: uuid
             * @description Of the request.
             */
            request_id: string;
            /**
             * Format: uuid
             * @description Of the feed.
             */
            feed_id: string;
            /** @description The feed's slug. Null once the feed is deleted and the slug is available again. */
            endpoint_path: string | null;
            /** @description The feed's name. */
            feed_name: string;
            /**
             * Format: uuid
             * @description The account that asks.
             */
            account_id: string;
            /** @description Its name. */
            account_name: string;
            /** @description How it will use the data. */
            message: string | null;
            /**
             * @description The outcome.
             * @enum {string}
             */
            status: "waiting" | "approved" | "declined";
            /** @description Why it was declined, if the provider gave a reason. */
            reason: string | null;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            asked_at: string;
            /**
             * Format: date-time
             * @description When it was answered.
             */
            answered_at: string | null;
        };
        /** @description A page of access requests. */
        AccessRequests: {
            /** @description Newest first. */
            requests: components["schemas"]["AccessRequest"][];
            /** @description The page size that was applied. */
            limit: number;
            /** @description Whether there are older entries. */
            has_more: boolean;
            /** @description Pass it as `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /** @description The account that owns the key. */
        Account: {
            /**
             * Format: uuid
             * @description Of the account.
             */
            id: string;
            /** @description The account's name. */
            name: string;
            /** @description The remaining balance. */
            balance: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description The key's budget, if it has one. */
            budget?: {
                /** @description The key's budget per UTC day. */
                daily: {
                    /** @description Exact to three decimals. */
                    credits: number;
                    /** @description Exact to nine decimals. */
                    usd: number;
                };
                /** @description What it has spent today. */
                spent: {
                    /** @description Exact to three decimals. */
                    credits: number;
                    /** @description Exact to nine decimals. */
                    usd: number;
                };
                /** @description The rest of today's budget. */
                left: {
                    /** @description Exact to three decimals. */
                    credits: number;
                    /** @description Exact to nine decimals. */
                    usd: number;
                };
                /**
                 * Format: date-time
                 * @description When the budget resets.
                 */
                resets_at: string;
            };
            /** @description Agents connected through OAuth, newest first. */
            agents: {
                /**
                 * Format: uuid
                 * @description The agent's key. `DELETE /v1/account/agents/{key_id}` disconnects the agent.
                 */
                key_id: string;
                /** @description The name given by the agent's program. */
                name: string | null;
                /** @description What it has spent today. */
                spent: {
                    /** @description Exact to three decimals. */
                    credits: number;
                    /** @description Exact to nine decimals. */
                    usd: number;
                };
                /**
                 * Format: date-time
                 * @description When its key expires.
                 */
                expires_at: string | null;
            }[];
            /** @description All limits that apply to consumers. */
            limits: {
                /** @description The limited operation. */
                operation: string;
                /**
                 * @description For data, the limit depends on the feed's pricing.
                 * @enum {string}
                 */
                tier: "free" | "paid" | "all";
                /** @description Calls in a window. */
                limit: number;
                /** @description Length of the window. */
                window_seconds: number;
            }[];
        };
        /** @description A feed that the account has bought, with this call or earlier. */
        Bought: {
            /**
             * Format: uuid
             * @description If it was paid from the balance, the same as `usage_id`.
             */
            purchase_id: string;
            /**
             * Format: uuid
             * @description The feed that was bought.
             */
            feed_id: string;
            /**
             * Format: uuid
             * @description The account that bought it.
             */
            account_id: string;
            /**
             * Format: date-time
             * @description When it was bought.
             */
            purchased_at: string;
            /** @description The price at the time of purchase. */
            price: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description The account's current balance. */
            balance: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description The receipt. */
            _origin: {
                /**
                 * Format: uuid
                 * @description The usage event that paid for it. Null if the operator recorded a payment.
                 */
                usage_id: string | null;
                /**
                 * Format: date-time
                 * @description When the call was admitted.
                 */
                timestamp: string;
                /**
                 * Format: uuid
                 * @description The feed that was read. Null if the call is not about a feed.
                 */
                feed_id: string | null;
                /** @description Credits charged by this call: 0 if the feed had already been bought. */
                credits_charged: number;
            };
        };
        /** @description A page of the catalog. */
        Catalog: {
            /** @description How many feeds there are, in words. */
            message: string;
            /** @description Total number of listed feeds. */
            total: number;
            /**
             * @deprecated
             * @description The older name of `total`.
             */
            total_feeds: number;
            /** @description The page size that was applied. */
            limit: number;
            /** @description Items skipped. */
            offset: number;
            /** @description Whether there are more items after this page. */
            has_more: boolean;
            /** @description Most recently published first. */
            feeds: components["schemas"]["CatalogEntry"][];
            /** @description Next steps, in words. */
            instructions: string;
            _origin: components["schemas"]["Origin"];
        };
        /** @description A listed feed. */
        CatalogEntry: {
            /**
             * Format: uuid
             * @description Of the feed.
             */
            id: string;
            /** @description Display name. */
            name: string;
            /**
             * @description How the data is stored.
             * @enum {string}
             */
            feed_type: "singleton" | "collection" | "stream";
            /**
             * @description How the data is read; the same as `feed_type`.
             * @enum {string}
             */
            consumer_type: "singleton" | "collection" | "stream";
            /** @description Usable in place of the id. */
            endpoint_path: string | null;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Empty if the provider gave none. */
            description: string;
            /** @description `uncategorized` if the provider gave none. */
            category: string;
            /** @description `free`, `$0.001 per 1,000 calls` or `$5.00 one-time`. */
            pricing: string;
            /** @description The update frequency. */
            update_frequency: string | null;
            /** @description `99.2%`, or `unrated`. */
            reliability: string;
            /** @description Top-level property names of the schema. */
            schema_hint: string[];
        };
        /** @description Read-only fields of a feed are ignored; unknown fields are refused. */
        CreateFeed: {
            /**
             * Format: uuid
             * @description The id of one of your feeds edits that feed. An unknown id becomes that of the new feed.
             */
            id?: string;
            /** @description Display name. */
            name: string;
            /** @description Unique slug in the feed's address; must not look like a UUID. */
            endpoint_path: string;
            /** @description Short text. */
            description?: string | null;
            /** @description Markdown. */
            readme_md?: string | null;
            /** @description One word or a few. */
            category?: string | null;
            /**
             * @description `snapshot` means singleton, `version_collection` collection, `time_stream` stream; if omitted, the first push sets it.
             * @enum {string|null}
             */
            feed_type?: "singleton" | "collection" | "stream" | "snapshot" | "version_collection" | "time_stream" | null;
            /** @description JSON Schema (2020-12, or draft-07 if `$schema` says so) of one row or of the document. */
            schema_definition?: Record<string, unknown> | null;
            /** @description Default at creation: 1. */
            schema_version?: number;
            /** @description Whether pushes must match the schema. */
            schema_locked?: boolean;
            /** @description An example payload. */
            sample_response?: unknown;
            /** @description Expected minutes between pushes. Default at creation: 60. */
            sync_interval_mins?: number;
            /** @description The update frequency, in words. */
            update_frequency_text?: string | null;
            /** @description Streams only: events whose `event_timestamp` is older than this number of days can no longer be read and are deleted. Null: events are kept. */
            retention_days?: number | null;
            /**
             * @description Who can read the feed: every account, accounts whose request you approve, or only accounts that you invite. Applies from the next read.
             * @enum {string}
             */
            access?: "open" | "by_request" | "invited";
            /** @description True asks the operator to list the feed, even repeatedly. It changes nothing else. */
            request_review?: boolean;
            /**
             * @description If omitted, it follows from the prices.
             * @enum {string}
             */
            price_type?: "free" | "metered" | "one_time";
            /** @description USD per 1,000 calls, 0 to 1000000, at most 6 decimals; above 0 for `metered`. */
            price_per_1k?: number | null;
            /** @description USD cents, at least 100 for `one_time`. */
            one_time_price_cents?: number | null;
            /** @description Step of a wizard. */
            draft_step?: number;
            /**
             * @description Default `draft`. `inactive` requires `schema_definition`.
             * @enum {string}
             */
            status?: "draft" | "inactive";
        };
        /** @description A new webhook, with its secret. */
        CreatedWebhook: {
            /**
             * Format: uuid
             * @description The webhook.
             */
            id: string;
            /** @description Where notices are sent. */
            url: string;
            /** @description The types that are sent. */
            types: string[];
            /** @description The feeds it is limited to. Null: all. */
            feed_ids: string[] | null;
            /** @description Whether notices are sent. */
            is_active: boolean;
            /**
             * @description Why it is not active, unless you paused it: it returned 410, it failed for 3 days, or the key that created it was revoked or has expired.
             * @enum {string|null}
             */
            switched_off: "gone" | "failing" | "key_ended" | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description Verifies signatures (Standard Webhooks). It is shown only once. */
            secret: string;
        };
        /** @description Fields that are left out stay unchanged; null clears a nullable field. */
        EditFeed: {
            /** @description Display name. */
            name?: string;
            /** @description Unique slug in the feed's address; must not look like a UUID. */
            endpoint_path?: string;
            /** @description Short text. */
            description?: string | null;
            /** @description Markdown. */
            readme_md?: string | null;
            /** @description One word or a few. */
            category?: string | null;
            /**
             * @description `snapshot` means singleton, `version_collection` collection, `time_stream` stream; if omitted, the first push sets it.
             * @enum {string|null}
             */
            feed_type?: "singleton" | "collection" | "stream" | "snapshot" | "version_collection" | "time_stream" | null;
            /** @description JSON Schema (2020-12, or draft-07 if `$schema` says so) of one row or of the document. */
            schema_definition?: Record<string, unknown> | null;
            /** @description Default at creation: 1. */
            schema_version?: number;
            /** @description Whether pushes must match the schema. */
            schema_locked?: boolean;
            /** @description An example payload. */
            sample_response?: unknown;
            /** @description Expected minutes between pushes. Default at creation: 60. */
            sync_interval_mins?: number;
            /** @description The update frequency, in words. */
            update_frequency_text?: string | null;
            /** @description Streams only: events whose `event_timestamp` is older than this number of days can no longer be read and are deleted. Null: events are kept. */
            retention_days?: number | null;
            /**
             * @description Who can read the feed: every account, accounts whose request you approve, or only accounts that you invite. Applies from the next read.
             * @enum {string}
             */
            access?: "open" | "by_request" | "invited";
            /** @description True asks the operator to list the feed, even repeatedly. It changes nothing else. */
            request_review?: boolean;
            /**
             * @description If omitted, it follows from the prices.
             * @enum {string}
             */
            price_type?: "free" | "metered" | "one_time";
            /** @description USD per 1,000 calls, 0 to 1000000, at most 6 decimals; above 0 for `metered`. */
            price_per_1k?: number | null;
            /** @description USD cents, at least 100 for `one_time`. */
            one_time_price_cents?: number | null;
            /** @description Step of a wizard. Null is accepted only if it is already null. */
            draft_step?: number | null;
            /**
             * @description Every status except draft requires a schema.
             * @enum {string}
             */
            status?: "draft" | "inactive" | "active";
        };
        /** @description A feed's metadata, without its rows. */
        FeedMetadata: {
            /**
             * Format: uuid
             * @description Of the feed.
             */
            id: string;
            /** @description Display name. */
            name: string;
            /** @description Short text. */
            description: string | null;
            /** @description Usable in place of the id. */
            endpoint_path: string | null;
            /** @description Markdown. */
            readme_md: string | null;
            /** @description As named by the provider. */
            category: string | null;
            /**
             * @description Null until the first push sets it.
             * @enum {string|null}
             */
            feed_type: "singleton" | "collection" | "stream" | null;
            /**
             * @description `feed_type`, or `singleton` while null.
             * @enum {string}
             */
            consumer_type: "singleton" | "collection" | "stream";
            /** @description USD per 1,000 calls. */
            price_per_1k: number | null;
            /**
             * @description What is charged: nothing, each call, or a one-time price.
             * @enum {string}
             */
            price_type: "free" | "metered" | "one_time";
            /** @description USD cents, paid once. */
            one_time_price_cents: number | null;
            /**
             * @description Who can read it: every account, accounts whose request the provider approves, or only accounts that the provider invites.
             * @enum {string}
             */
            access: "open" | "by_request" | "invited";
            /** @description Percentage of the last 30 days in which the data was up to date. */
            reliability_score: number | null;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Expected minutes between pushes. */
            sync_interval_mins: number | null;
            /** @description The update frequency, in the provider's words. */
            update_frequency_text: string | null;
            storage_config: components["schemas"]["StorageConfig"];
            /** @description JSON Schema of one row or of the document, as the provider wrote it. */
            schema_definition: unknown;
            /** @description Set by the provider. */
            schema_version: number;
            /**
             * Format: date-time
             * @description When `schema_definition` last changed; null if it never did.
             */
            schema_changed_at: string | null;
            /** @description Whether pushes must match the schema. */
            schema_locked: boolean;
            /** @description An example payload, as the provider wrote it. */
            sample_response: unknown;
            /**
             * @description Only active feeds can be read.
             * @enum {string}
             */
            status: "draft" | "inactive" | "active";
            /** @description The owner of the feed. */
            provider: {
                /**
                 * Format: uuid
                 * @description Of the owner's account.
                 */
                id: string;
                /** @description The owner's name. */
                name: string;
            };
            /**
             * Format: date-time
             * @description The oldest `event_timestamp` of a stream's events.
             */
            oldest_event: string | null;
            /**
             * Format: date-time
             * @description The newest `event_timestamp`.
             */
            newest_event: string | null;
            /** @description Rows visible to readers; 1 for a singleton. */
            row_count: number;
            /** @description UTF-8 bytes of their JSON text. */
            bytes: number;
            /** @description The cost of reading every row once, in pages of 100. For a one-time feed, its price, after which reads are free. 0 if the provider grants the account free reads. */
            credits_to_read_all: number;
            _origin: components["schemas"]["Origin"];
        };
        /** @description An account with access to a feed. */
        FeedReader: {
            /**
             * Format: uuid
             * @description The account that may read the feed.
             */
            account_id: string;
            /** @description Its name. */
            account_name: string;
            /** @description Whether reads are free for the account. */
            is_free: boolean;
            /**
             * Format: date-time
             * @description When the grant expires. Null: never.
             */
            expires_at: string | null;
            /** @description The provider's note. */
            note: string | null;
            /**
             * Format: date-time
             * @description When it was granted.
             */
            granted_at: string;
        };
        /** @description A page of the accounts with access to a feed. */
        FeedReaders: {
            /** @description Newest first. */
            readers: components["schemas"]["FeedReader"][];
            /** @description The page size that was applied. */
            limit: number;
            /** @description Whether there are older entries. */
            has_more: boolean;
            /** @description Pass it as `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /** @description One error in a body. */
        FieldError: {
            /** @description JSON Pointer (RFC 6901) into the body as sent. */
            path: string;
            /** @description What is wrong. */
            message: string;
            /** @description Index of the pushed row, from 0. */
            row_index?: number;
            /** @description The row's id. */
            row_id?: string;
            /** @description Line of the imported file, from 1; `path` is within its row. */
            line?: number;
        };
        /** @description The receipt of a logged call. */
        Origin: {
            /**
             * Format: uuid
             * @description UUIDv7 of the entry in the usage log, committed before this response was sent.
             */
            usage_id: string;
            /**
             * Format: date-time
             * @description When the call was admitted.
             */
            timestamp: string;
            /**
             * Format: uuid
             * @description The feed that was read. Null if the call is not about a feed.
             */
            feed_id: string | null;
            /** @description Credits of 0.000001 USD, exact to three decimals. */
            credits_charged: number;
        };
        /** @description A feed as its owner sees it, with its size. */
        OwnFeed: {
            /**
             * Format: uuid
             * @description Of the feed.
             */
            id: string;
            /** @description Display name. */
            name: string;
            /** @description Short text. */
            description: string | null;
            /** @description Usable in place of the id. */
            endpoint_path: string | null;
            /** @description As named by the provider. */
            category: string | null;
            /**
             * @description Null until the first push sets it.
             * @enum {string|null}
             */
            feed_type: "singleton" | "collection" | "stream" | null;
            /**
             * @description `feed_type`, or `singleton` while null.
             * @enum {string}
             */
            consumer_type: "singleton" | "collection" | "stream";
            /** @description USD per 1,000 calls. */
            price_per_1k: number | null;
            /**
             * @description What is charged: nothing, each call, or a one-time price.
             * @enum {string}
             */
            price_type: "free" | "metered" | "one_time";
            /** @description USD cents, paid once. */
            one_time_price_cents: number | null;
            /**
             * @description Who can read it: every account, accounts whose request the provider approves, or only accounts that the provider invites.
             * @enum {string}
             */
            access: "open" | "by_request" | "invited";
            /** @description Percentage of the last 30 days in which the data was up to date. */
            reliability_score: number | null;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Expected minutes between pushes. */
            sync_interval_mins: number | null;
            /** @description The update frequency, in the provider's words. */
            update_frequency_text: string | null;
            storage_config: components["schemas"]["StorageConfig"];
            /** @description Set by the provider. */
            schema_version: number;
            /**
             * Format: date-time
             * @description When `schema_definition` last changed; null if it never did.
             */
            schema_changed_at: string | null;
            /** @description Whether pushes must match the schema. */
            schema_locked: boolean;
            /**
             * @description Only active feeds can be read.
             * @enum {string}
             */
            status: "draft" | "inactive" | "active";
            /** @description The owner of the feed. */
            provider: {
                /**
                 * Format: uuid
                 * @description Of the owner's account.
                 */
                id: string;
                /** @description The owner's name. */
                name: string;
            };
            /** @description Step of a wizard. */
            draft_step: number | null;
            /** @description Streams only: events whose `event_timestamp` is older than this number of days can no longer be read and are deleted. Null: events are kept. */
            retention_days: number | null;
            /** @description Set by the operator after review. */
            is_public: boolean;
            /**
             * @description Whether a review was requested, and its outcome.
             * @enum {string}
             */
            review: "none" | "waiting" | "listed" | "declined";
            /** @description Why it was declined. */
            review_reason: string | null;
            /**
             * Format: date-time
             * @description When the feed was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its definition last changed.
             */
            updated_at: string;
            /** @description JSON Schema of one row or of the document, as the provider wrote it. */
            schema_definition?: unknown;
            /** @description Markdown. */
            readme_md?: string | null;
            /** @description An example payload, as the provider wrote it. */
            sample_response?: unknown;
            /** @description Rows visible to readers; 1 for a singleton. */
            row_count: number;
            /** @description The newest refused push of the last 90 days. */
            last_refusal: {
                /** @description Of the push. */
                push_id: number;
                /**
                 * Format: date-time
                 * @description When it was received.
                 */
                pushed_at: string;
                /** @description Of the problem. */
                code: string;
                /** @description The `detail` of the problem. */
                detail: string;
            } | null;
            /** @description Logged reads of the last 30 days, including today; at most one minute old. */
            reads: number;
            /** @description Distinct accounts that read or bought in this period. */
            readers: number;
            /** @description Earnings in this period, minus refunds and fees. */
            net_usd: number;
            /** @description Batches waiting for `batch_complete`, newest first, at most 20. */
            open_batches: {
                /** @description As given. */
                batch_id: string;
                /** @description Rows received so far. */
                rows: number;
                /**
                 * Format: date-time
                 * @description Its first push.
                 */
                begun_at: string;
                /**
                 * Format: date-time
                 * @description When it closes unless it receives a push. Null for a first batch, which readers can see.
                 */
                closes_at: string | null;
            }[];
            /** @description Why the operator has suspended it; absent if the feed is not suspended. */
            suspension_reason?: string;
        };
        /** @description A page of an account's own feeds. */
        OwnFeeds: {
            /** @description Newest first. */
            feeds: components["schemas"]["OwnFeed"][];
            /** @description Feeds of the account. */
            total: number;
            /** @description The page size that was applied. */
            limit: number;
            /** @description Items skipped. */
            offset: number;
            /** @description Whether there are more items after this page. */
            has_more: boolean;
        };
        /** @description An error as RFC 9457 problem details. */
        Problem: {
            /**
             * Format: uri
             * @description Where the error is explained.
             */
            type: string;
            /** @description The code in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What is wrong and what to do. */
            detail: string;
            /**
             * @description Stable; branch on it.
             * @enum {string}
             */
            code: "INVALID_REQUEST" | "QUERY_REQUIRED" | "INVALID_PARAMETER" | "OPERATOR_DISABLED" | "JSONPATH_INVALID" | "JSONPATH_FILTER_DISABLED" | "CURSOR_INVALID" | "NOT_A_STREAM" | "BODY_NOT_JSON" | "SIGNATURE_INVALID" | "PAYMENT_INVALID" | "RANGE_INVALID" | "KEY_REQUIRED" | "KEY_INVALID" | "INSUFFICIENT_CREDITS" | "PURCHASE_REQUIRED" | "PRICE_ABOVE_MAX" | "PAYMENT_REQUIRED" | "PAYMENT_REFUSED" | "KEY_BUDGET_SPENT" | "ORIGIN_FORBIDDEN" | "KEY_PERMISSION" | "KEY_SCOPE" | "ACCESS_REQUIRED" | "ACCOUNT_SUSPENDED" | "FEED_SUSPENDED" | "FEED_FORBIDDEN" | "FEED_QUOTA_EXCEEDED" | "TOPUP_LIMIT" | "ADMIN_KEY_BY_COMMAND" | "OWNER_REQUIRED" | "NOTICE_TYPE_FORBIDDEN" | "ROUTE_NOT_FOUND" | "FEED_NOT_FOUND" | "FEED_NOT_SYNCED" | "ACCOUNT_NOT_FOUND" | "KEY_NOT_FOUND" | "PERSON_NOT_FOUND" | "MEMBER_NOT_FOUND" | "READER_NOT_FOUND" | "ACCESS_REQUEST_NOT_FOUND" | "INVITATION_NOT_FOUND" | "PROMOTION_NOT_FOUND" | "USAGE_NOT_FOUND" | "PURCHASE_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "TOPUP_NOT_FOUND" | "PAYOUT_NOT_FOUND" | "TOPUPS_OFF" | "METHOD_NOT_ALLOWED" | "ENDPOINT_PATH_TAKEN" | "FEED_NEVER_PUSHED" | "ACCESS_REQUESTED" | "ACCESS_NOT_NEEDED" | "ACCESS_ANSWERED" | "FEED_NOT_FOR_SALE" | "PAYMENT_TAKEN" | "FEED_TYPE_LOCKED" | "SCHEMA_BREAKING" | "IMPORT_RUNNING" | "BATCH_CLOSED" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_KEY_STALE" | "IDEMPOTENCY_KEY_ANSWERED" | "IDEMPOTENCY_KEY_UNFINISHED" | "REFERENCE_AMBIGUOUS" | "REFERENCE_TAKEN" | "BALANCE_TOO_LARGE" | "BALANCE_TOO_LOW" | "PROMOTION_TAKEN" | "PROMOTION_REDEEMED" | "PROMOTION_EXPIRED" | "PROMOTION_EXHAUSTED" | "PURCHASE_EXISTS" | "NOTHING_CHARGED" | "PAYOUT_ABOVE_OWED" | "ACCOUNT_CLOSED" | "ACCOUNT_OWED" | "LAST_OWNER" | "MEMBER_EXISTS" | "INVITATIONS_LIMIT" | "KEYS_LIMIT" | "WEBHOOKS_LIMIT" | "KEY_NOT_USABLE" | "FEED_LISTED" | "FEED_DELETED" | "CURSOR_EXPIRED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_FAILED" | "SCHEMA_REQUIRED" | "SCHEMA_INVALID" | "PRICING_INVALID" | "ADDRESS_INVALID" | "WEBHOOK_URL_INVALID" | "KEY_NOT_FOR_READING" | "RATE_LIMITED" | "TOO_MANY_WAITS" | "INTERNAL" | "REPORT_TOO_LONG" | "UNAVAILABLE";
            /** @description The same as `X-Request-Id`. */
            request_id: string;
            /** @description 400: the parameter or header with the error. */
            parameter?: string;
            /** @description 429 and 503: how long to wait. */
            retry_after_ms?: number;
            /**
             * @description 413: the limit that was exceeded.
             * @enum {string}
             */
            limit?: "singleton_body" | "request_body" | "row_count" | "row_payload" | "import_body";
            /** @description 413: the limit in bytes. */
            max_bytes?: number;
            /** @description 413: the limit in rows. */
            max_rows?: number;
            /** @description 413: index of the first row that is too large, from 0. */
            row_index?: number;
            /**
             * Format: uri
             * @description 402: where to pay; its query has `account_id` and `feed_id`.
             */
            billing_url?: string;
            /** @description 402: price of the call, or of the purchase. */
            price?: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description 402: the account's balance. */
            balance?: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description 402: the maximum set by `Feedgate-Max-Credits` or `max_credits`. */
            max_credits?: number;
            /** @description 402: the key's budget per UTC day. */
            budget?: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description 402: what it has spent today. */
            spent?: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /**
             * Format: date-time
             * @description 402: when the next day begins.
             */
            resets_at?: string;
            /** @description 402: why a payment was refused, as defined by x402; 403: the reason for the suspension. */
            reason?: string;
            /** @description 402: the version of x402, which is 2. */
            x402Version?: number;
            /** @description 402: the reason, as defined by x402. */
            error?: string;
            /** @description 402: what the payment is for. */
            resource?: {
                /**
                 * Format: uri
                 * @description What the payment is for.
                 */
                url: string;
                /** @description A description of it. */
                description: string;
                /** @description The media type of the response. */
                mimeType: string;
            };
            /** @description 402: the accepted payments. */
            accepts?: {
                /** @description `exact` */
                scheme: string;
                /** @description CAIP-2 id of the chain. */
                network: string;
                /** @description Millionths of a dollar. */
                amount: string;
                /** @description The token's contract. */
                asset: string;
                /** @description The recipient. */
                payTo: string;
                /** @description How long an authorization may be valid. */
                maxTimeoutSeconds: number;
                /** @description Parameters of the scheme. */
                extra: {
                    /** @description Used in the token's signature. */
                    name: string;
                    /** @description Used in the token's signature. */
                    version: string;
                    /** @description `eip3009` */
                    assetTransferMethod: string;
                    /** @description Send it back unchanged. Valid for 15 minutes. */
                    offer: string;
                };
            }[];
            /**
             * Format: uuid
             * @description 402: the top-up of a payment that was refused.
             */
            topup_id?: string;
            /**
             * Format: date-time
             * @description 402: the time until which a refused payment is still granted if it arrives.
             */
            expires_at?: string;
            /** @description 403: the path for requesting access to the feed. */
            request_path?: string;
            /**
             * Format: date-time
             * @description 409: when the account may ask again. Null while a request is pending.
             */
            retry_at?: string | null;
            /** @description 409: the changes that affect readers of the schema. */
            changes?: unknown[];
            /**
             * Format: uuid
             * @description 409: the usage event that the `Idempotency-Key` paid for.
             */
            usage_id?: string;
            /** @description 403: the account's quota. */
            max_feeds_allowed?: number;
            /** @description 403: feeds of the account, drafts included. */
            feeds_used?: number;
            /** @description 422: the first errors. */
            errors?: components["schemas"]["FieldError"][];
            /** @description 422: the total number of errors. */
            error_count?: number;
        };
        /** @description A feed that the account has bought. */
        Purchase: {
            /**
             * Format: uuid
             * @description If it was paid from the balance, the same as `usage_id`.
             */
            purchase_id: string;
            /**
             * Format: uuid
             * @description The feed that was bought.
             */
            feed_id: string;
            /**
             * Format: uuid
             * @description The account that bought it.
             */
            account_id: string;
            /**
             * Format: date-time
             * @description When it was bought.
             */
            purchased_at: string;
            /** @description The price at the time of purchase. */
            price: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description The feed's slug. Null once the feed is deleted and the slug is available again. */
            endpoint_path: string | null;
            /**
             * @description The balance, or a payment recorded by the operator.
             * @enum {string}
             */
            paid_from: "balance" | "elsewhere";
        };
        /** @description A page of the account's purchases. */
        Purchases: {
            /** @description Newest first, without purchases that were undone. */
            purchases: components["schemas"]["Purchase"][];
            /** @description The page size that was applied. */
            limit: number;
            /** @description Whether there are more items after this page. */
            has_more: boolean;
            /** @description Pass it as `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /** @description The receipt of a push. */
        PushResult: {
            /**
             * Format: uuid
             * @description Of the feed.
             */
            feed_id: string;
            /**
             * @description The feed's type, as set by this push or earlier.
             * @enum {string}
             */
            feed_type: "singleton" | "collection" | "stream";
            /**
             * @description A first push activates a feed.
             * @enum {string}
             */
            status: "draft" | "inactive" | "active";
            /** @description Rows in the request. */
            rows_received: number;
            /** @description New rows. */
            rows_inserted: number;
            /** @description Rows that replaced a row with the same id. */
            rows_updated: number;
            /** @description Skipped rows: those that the stream already contains, or rows of a repeated batch. */
            rows_duplicate: number;
            /** @description The outcome of each row, in the order of the push. */
            row_outcomes: ("inserted" | "updated" | "duplicate")[];
            /** @description As given. */
            batch_id: string | null;
            /** @description Whether the batch replaced the current one. */
            batch_complete: boolean;
            /** @description Whether these rows are visible to readers. */
            is_visible: boolean;
            /** @description What to do to make them visible. */
            detail?: string;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Changes when the visible data changes. */
            data_version: number;
            /**
             * @description Nothing was stored.
             * @constant
             */
            dry_run?: true;
        };
        /** @description An invitation of an address to read a feed. */
        ReaderInvitation: {
            /**
             * Format: uuid
             * @description Of the invitation.
             */
            id: string;
            /** @description The invited email address. */
            address: string;
            /** @description Whether reads are free for the account. */
            is_free: boolean;
            /**
             * Format: date-time
             * @description When the grant expires. Null: never.
             */
            expires_at: string | null;
            /** @description The provider's note. */
            note: string | null;
            /**
             * Format: date-time
             * @description When the invitation expires.
             */
            ends_at: string;
        };
        /** @description The open invitations to read a feed. */
        ReaderInvitations: {
            /** @description Invitations that can be accepted, oldest first. */
            invitations: components["schemas"]["ReaderInvitation"][];
        };
        /** @description A delivery that was queued again. */
        ResentDelivery: {
            /**
             * Format: uuid
             * @description The delivery.
             */
            delivery_id: string;
            /**
             * Format: uuid
             * @description Its webhook.
             */
            webhook_id: string;
        };
        /** @description The new secret of a webhook. */
        RotatedWebhook: {
            /**
             * Format: uuid
             * @description The webhook.
             */
            id: string;
            /** @description Verifies signatures (Standard Webhooks). It is shown only once. */
            secret: string;
            /**
             * Format: date-time
             * @description The time until which calls are also signed with the previous secret.
             */
            previous_until: string;
        };
        /** @description A search result. */
        SearchHit: {
            /**
             * Format: uuid
             * @description Of the feed.
             */
            id: string;
            /** @description Display name. */
            name: string;
            /**
             * @description How the data is stored.
             * @enum {string}
             */
            feed_type: "singleton" | "collection" | "stream";
            /**
             * @description How the data is read; the same as `feed_type`.
             * @enum {string}
             */
            consumer_type: "singleton" | "collection" | "stream";
            /** @description Usable in place of the id. */
            endpoint_path: string | null;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Empty if the provider gave none. */
            description: string;
            /** @description `uncategorized` if the provider gave none. */
            category: string;
            /** @description `free`, `$0.001 per 1,000 calls` or `$5.00 one-time`. */
            pricing: string;
            /**
             * @description What is charged: nothing, each call, or a one-time price.
             * @enum {string}
             */
            price_type: "free" | "metered" | "one_time";
            /** @description USD cents, paid once. */
            one_time_price_cents: number | null;
            /** @description USD per 1,000 calls; 0 if calls are free. */
            price_per_1k: number;
            /** @description Percent; null while unrated. */
            reliability_score: number | null;
            /** @description The update frequency, in the provider's words. */
            update_frequency_text: string | null;
        };
        /** @description A page of search results. */
        SearchResults: {
            /** @description The search query. */
            query: string;
            /** @description Total number of feeds found. */
            total: number;
            /** @description The page size that was applied. */
            limit: number;
            /** @description Items skipped. */
            offset: number;
            /** @description Whether there are more items after this page. */
            has_more: boolean;
            /** @description Best match first. */
            results: components["schemas"]["SearchHit"][];
            /** @description If the requested `category` has no match: the categories that do, best first. */
            categories?: string[];
            _origin: components["schemas"]["Origin"];
        };
        /** @description The limits of a push; the last two are null for singletons. */
        StorageConfig: {
            /** @description Maximum bytes per push. */
            max_body_bytes: number;
            /** @description Maximum bytes per row. */
            max_row_bytes: number | null;
            /** @description Maximum rows per push. */
            max_rows: number | null;
        };
        /** @description A queued test notice. */
        TestedWebhook: {
            /**
             * Format: uuid
             * @description The delivery, which the list of deliveries shows.
             */
            delivery_id: string;
            /**
             * Format: uuid
             * @description The `webhook-id` of the call.
             */
            notice_id: string;
        };
        /** @description A page of the usage log. */
        Usage: {
            /** @description Newest first. */
            usage: components["schemas"]["UsageEvent"][];
            /** @description The page size that was applied. */
            limit: number;
            /** @description Whether there are more items after this page. */
            has_more: boolean;
            /** @description Pass it as `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /** @description A logged call. */
        UsageEvent: {
            /**
             * Format: uuid
             * @description The same as in the response's `_origin`.
             */
            usage_id: string;
            /**
             * Format: date-time
             * @description When the call was admitted.
             */
            timestamp: string;
            /**
             * @description The kind of read, or a purchase.
             * @enum {string}
             */
            operation: "catalog" | "search" | "metadata" | "data" | "stream" | "export" | "purchase";
            /**
             * Format: uuid
             * @description Null for catalog and search.
             */
            feed_id: string | null;
            /** @description 0 after a refund. */
            credits_charged: number;
            /**
             * Format: uuid
             * @description The key used for the call.
             */
            key_id: string | null;
        };
        /** @description A webhook: an address that receives notices. */
        Webhook: {
            /**
             * Format: uuid
             * @description The webhook.
             */
            id: string;
            /** @description Where notices are sent. */
            url: string;
            /** @description The types that are sent. */
            types: string[];
            /** @description The feeds it is limited to. Null: all. */
            feed_ids: string[] | null;
            /** @description Whether notices are sent. */
            is_active: boolean;
            /**
             * @description Why it is not active, unless you paused it: it returned 410, it failed for 3 days, or the key that created it was revoked or has expired.
             * @enum {string|null}
             */
            switched_off: "gone" | "failing" | "key_ended" | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description Deliveries of the last 30 days. */
        WebhookDeliveries: {
            /** @description Newest first. */
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description The page size that was applied. */
            limit: number;
            /** @description Items skipped. */
            offset: number;
            /** @description Whether there are more items after this page. */
            has_more: boolean;
        };
        /** @description A delivery of a notice to a webhook. */
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description The delivery.
             */
            id: string;
            /**
             * Format: uuid
             * @description Its webhook.
             */
            webhook_id: string;
            /**
             * Format: uuid
             * @description The notice: `webhook-id` of the call, the same in every attempt.
             */
            notice_id: string;
            /** @description Of the notice. */
            type: string;
            /**
             * @description Withheld: at delivery time, the account could no longer read the feed that it is about.
             * @enum {string}
             */
            status: "waiting" | "delivered" | "failed" | "withheld";
            /**
             * Format: date-time
             * @description When it was first due.
             */
            created_at: string;
            /** @description Attempts so far. */
            attempts: number;
            /**
             * Format: date-time
             * @description The last attempt.
             */
            attempted_at: string | null;
            /**
             * Format: date-time
             * @description The next attempt, if there is one.
             */
            next_at: string | null;
            /** @description Status of the last response. */
            code: number | null;
            /** @description Duration of the last attempt. */
            ms: number | null;
            /** @description The first 1,024 bytes of the last response. */
            answer: string | null;
            /** @description The error, if it failed. */
            error: string | null;
        };
        /** @description The webhooks that the key can see. */
        Webhooks: {
            /** @description Oldest first. */
            webhooks: components["schemas"]["Webhook"][];
        };
        /** @description The complete saved feed, with the state of the quota and warnings. */
        WrittenFeed: {
            /**
             * Format: uuid
             * @description Of the feed.
             */
            id: string;
            /** @description Display name. */
            name: string;
            /** @description Short text. */
            description: string | null;
            /** @description Usable in place of the id. */
            endpoint_path: string | null;
            /** @description Markdown. */
            readme_md: string | null;
            /** @description As named by the provider. */
            category: string | null;
            /**
             * @description Null until the first push sets it.
             * @enum {string|null}
             */
            feed_type: "singleton" | "collection" | "stream" | null;
            /**
             * @description `feed_type`, or `singleton` while null.
             * @enum {string}
             */
            consumer_type: "singleton" | "collection" | "stream";
            /** @description USD per 1,000 calls. */
            price_per_1k: number | null;
            /**
             * @description What is charged: nothing, each call, or a one-time price.
             * @enum {string}
             */
            price_type: "free" | "metered" | "one_time";
            /** @description USD cents, paid once. */
            one_time_price_cents: number | null;
            /**
             * @description Who can read it: every account, accounts whose request the provider approves, or only accounts that the provider invites.
             * @enum {string}
             */
            access: "open" | "by_request" | "invited";
            /** @description Percentage of the last 30 days in which the data was up to date. */
            reliability_score: number | null;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Expected minutes between pushes. */
            sync_interval_mins: number | null;
            /** @description The update frequency, in the provider's words. */
            update_frequency_text: string | null;
            storage_config: components["schemas"]["StorageConfig"];
            /** @description JSON Schema of one row or of the document, as the provider wrote it. */
            schema_definition: unknown;
            /** @description Set by the provider. */
            schema_version: number;
            /**
             * Format: date-time
             * @description When `schema_definition` last changed; null if it never did.
             */
            schema_changed_at: string | null;
            /** @description Whether pushes must match the schema. */
            schema_locked: boolean;
            /** @description An example payload, as the provider wrote it. */
            sample_response: unknown;
            /**
             * @description Only active feeds can be read.
             * @enum {string}
             */
            status: "draft" | "inactive" | "active";
            /** @description The owner of the feed. */
            provider: {
                /**
                 * Format: uuid
                 * @description Of the owner's account.
                 */
                id: string;
                /** @description The owner's name. */
                name: string;
            };
            /** @description Step of a wizard. */
            draft_step: number | null;
            /** @description Streams only: events whose `event_timestamp` is older than this number of days can no longer be read and are deleted. Null: events are kept. */
            retention_days: number | null;
            /** @description Set by the operator after review. */
            is_public: boolean;
            /**
             * @description Whether a review was requested, and its outcome.
             * @enum {string}
             */
            review: "none" | "waiting" | "listed" | "declined";
            /** @description Why it was declined. */
            review_reason: string | null;
            /**
             * Format: date-time
             * @description When the feed was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its definition last changed.
             */
            updated_at: string;
            /** @description The account's quota. */
            max_feeds_allowed: number;
            /** @description Feeds of the account, drafts included. */
            feeds_used: number;
            /** @description Valid but probably unintended settings of schema, sample and newest rows, one sentence each. */
            warnings: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
