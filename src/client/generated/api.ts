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
            /** @description The feed's slug; null once it is deleted and free. */
            endpoint_path: string | null;
            /** @description The feed's name. */
            feed_name: string;
            /**
             * Format: uuid
             * @description Of the account that asks.
             */
            account_id: string;
            /** @description Its name. */
            account_name: string;
            /** @description What it wants the data for. */
            message: string | null;
            /**
             * @description What became of it.
             * @enum {string}
             */
            status: "waiting" | "approved" | "declined";
            /** @description Why it was declined, if the provider says so. */
            reason: string | null;
            /**
             * Format: date-time
             * @description When it was asked.
             */
            asked_at: string;
            /**
             * Format: date-time
             * @description When it was answered.
             */
            answered_at: string | null;
        };
        /** @description A page of requests for access. */
        AccessRequests: {
            /** @description The newest come first. */
            requests: components["schemas"]["AccessRequest"][];
            /** @description After capping. */
            limit: number;
            /** @description Whether there are older ones. */
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
            /** @description What is left to spend. */
            balance: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description Of the key, if it has one. */
            budget?: {
                /** @description What the key may spend in a UTC day. */
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
                /** @description What it may still spend today. */
                left: {
                    /** @description Exact to three decimals. */
                    credits: number;
                    /** @description Exact to nine decimals. */
                    usd: number;
                };
                /**
                 * Format: date-time
                 * @description When the next day begins.
                 */
                resets_at: string;
            };
            /** @description Agents that were connected by OAuth and still hold, the newest first. */
            agents: {
                /**
                 * Format: uuid
                 * @description Of the agent's key. `DELETE /v1/account/agents/{key_id}` ends it.
                 */
                key_id: string;
                /** @description As the agent's program calls itself. */
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
                 * @description When its key ends.
                 */
                expires_at: string | null;
            }[];
            /** @description Every limit of a consumer. */
            limits: {
                /** @description What is limited. */
                operation: string;
                /**
                 * @description The feed's pricing decides for data.
                 * @enum {string}
                 */
                tier: "free" | "paid" | "all";
                /** @description Calls in a window. */
                limit: number;
                /** @description Length of the window. */
                window_seconds: number;
            }[];
        };
        /** @description A feed that the account has bought, now or before. */
        Bought: {
            /**
             * Format: uuid
             * @description If it was paid from the balance, the same as `usage_id`.
             */
            purchase_id: string;
            /**
             * Format: uuid
             * @description What was bought.
             */
            feed_id: string;
            /**
             * Format: uuid
             * @description Who bought it.
             */
            account_id: string;
            /**
             * Format: date-time
             * @description When it was bought.
             */
            purchased_at: string;
            /** @description What it cost at that moment. */
            price: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description What the account has left now. */
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
                 * @description The usage event that paid for it; null if the operator has recorded a payment.
                 */
                usage_id: string | null;
                /**
                 * Format: date-time
                 * @description When the call was admitted.
                 */
                timestamp: string;
                /**
                 * Format: uuid
                 * @description The feed that was read; null where the call is about none.
                 */
                feed_id: string | null;
                /** @description What this call has charged: 0 if the feed was bought before. */
                credits_charged: number;
            };
        };
        /** @description A page of the catalog. */
        Catalog: {
            /** @description How many feeds there are, in words. */
            message: string;
            /** @description Feeds listed in all. */
            total: number;
            /**
             * @deprecated
             * @description The older name of `total`.
             */
            total_feeds: number;
            /** @description Items asked for, after capping. */
            limit: number;
            /** @description Items skipped. */
            offset: number;
            /** @description Whether there are items behind this page. */
            has_more: boolean;
            /** @description The newest published come first. */
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
             * @description How the data is read: the same.
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
            /** @description Empty where the provider gives none. */
            description: string;
            /** @description `uncategorized` where the provider gives none. */
            category: string;
            /** @description `free`, `$0.001 per 1,000 calls` or `$5.00 one-time`. */
            pricing: string;
            /** @description How often there is new data. */
            update_frequency: string | null;
            /** @description `99.2%`, or `unrated`. */
            reliability: string;
            /** @description Top-level property names of the schema. */
            schema_hint: string[];
        };
        /** @description Read-only fields of the feed's row are ignored; other unknown ones are refused. */
        CreateFeed: {
            /**
             * Format: uuid
             * @description An own feed's: edits it. Unknown: the new feed gets it.
             */
            id?: string;
            /** @description Display name. */
            name: string;
            /** @description Unique slug of the feed's address; not of a UUID's form. */
            endpoint_path: string;
            /** @description Short text. */
            description?: string | null;
            /** @description Markdown. */
            readme_md?: string | null;
            /** @description One word or a few. */
            category?: string | null;
            /**
             * @description `snapshot` means singleton, `version_collection` collection, `time_stream` stream; left out, the first push decides.
             * @enum {string|null}
             */
            feed_type?: "singleton" | "collection" | "stream" | "snapshot" | "version_collection" | "time_stream" | null;
            /** @description JSON Schema (2020-12, or draft-07 where `$schema` says so) of one row or of the document. */
            schema_definition?: Record<string, unknown> | null;
            /** @description 1 where left out at creation. */
            schema_version?: number;
            /** @description Whether pushes must meet the schema. */
            schema_locked?: boolean;
            /** @description An example payload. */
            sample_response?: unknown;
            /** @description Expected minutes between pushes; 60 where left out at creation. */
            sync_interval_mins?: number;
            /** @description How often there is new data, in words. */
            update_frequency_text?: string | null;
            /** @description Streams only: events whose `event_timestamp` is so many days old are no longer read, and are removed. Null: they stay. */
            retention_days?: number | null;
            /**
             * @description Who may read the feed: every account, those that you approve when they ask, or only those that you invite. It holds from the next read on.
             * @enum {string}
             */
            access?: "open" | "by_request" | "invited";
            /** @description True asks the operator to list the feed, also again; nothing else is changed by it. */
            request_review?: boolean;
            /**
             * @description If left out, the prices decide it.
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
             * @description `draft` where left out; `inactive` needs `schema_definition`.
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
            /** @description The only feeds, if it names any. */
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
        /** @description What is left out stays as it is; null clears a field that may be null. */
        EditFeed: {
            /** @description Display name. */
            name?: string;
            /** @description Unique slug of the feed's address; not of a UUID's form. */
            endpoint_path?: string;
            /** @description Short text. */
            description?: string | null;
            /** @description Markdown. */
            readme_md?: string | null;
            /** @description One word or a few. */
            category?: string | null;
            /**
             * @description `snapshot` means singleton, `version_collection` collection, `time_stream` stream; left out, the first push decides.
             * @enum {string|null}
             */
            feed_type?: "singleton" | "collection" | "stream" | "snapshot" | "version_collection" | "time_stream" | null;
            /** @description JSON Schema (2020-12, or draft-07 where `$schema` says so) of one row or of the document. */
            schema_definition?: Record<string, unknown> | null;
            /** @description 1 where left out at creation. */
            schema_version?: number;
            /** @description Whether pushes must meet the schema. */
            schema_locked?: boolean;
            /** @description An example payload. */
            sample_response?: unknown;
            /** @description Expected minutes between pushes; 60 where left out at creation. */
            sync_interval_mins?: number;
            /** @description How often there is new data, in words. */
            update_frequency_text?: string | null;
            /** @description Streams only: events whose `event_timestamp` is so many days old are no longer read, and are removed. Null: they stay. */
            retention_days?: number | null;
            /**
             * @description Who may read the feed: every account, those that you approve when they ask, or only those that you invite. It holds from the next read on.
             * @enum {string}
             */
            access?: "open" | "by_request" | "invited";
            /** @description True asks the operator to list the feed, also again; nothing else is changed by it. */
            request_review?: boolean;
            /**
             * @description If left out, the prices decide it.
             * @enum {string}
             */
            price_type?: "free" | "metered" | "one_time";
            /** @description USD per 1,000 calls, 0 to 1000000, at most 6 decimals; above 0 for `metered`. */
            price_per_1k?: number | null;
            /** @description USD cents, at least 100 for `one_time`. */
            one_time_price_cents?: number | null;
            /** @description Step of a wizard. Null is taken only where it is null already. */
            draft_step?: number | null;
            /**
             * @description Every status but draft needs a schema.
             * @enum {string}
             */
            status?: "draft" | "inactive" | "active";
        };
        /** @description All about a feed, and none of its rows. */
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
            /** @description As the provider named it. */
            category: string | null;
            /**
             * @description Null until a push decides it.
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
             * @description What is paid for: nothing, calls, or access.
             * @enum {string}
             */
            price_type: "free" | "metered" | "one_time";
            /** @description USD cents, paid once. */
            one_time_price_cents: number | null;
            /**
             * @description Who may read it: every account, those that the provider approves when they ask, or only those that it invites.
             * @enum {string}
             */
            access: "open" | "by_request" | "invited";
            /** @description Share of the last 30 days in which the data was as fresh as promised. */
            reliability_score: number | null;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Expected minutes between pushes. */
            sync_interval_mins: number | null;
            /** @description How often there is new data, in the provider's words. */
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
            /** @description Whether pushes must meet the schema. */
            schema_locked: boolean;
            /** @description An example payload, as the provider wrote it. */
            sample_response: unknown;
            /**
             * @description Only active feeds can be read.
             * @enum {string}
             */
            status: "draft" | "inactive" | "active";
            /** @description Who owns the feed. */
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
             * @description The newest one: how fresh the data is.
             */
            newest_event: string | null;
            /** @description Rows that readers see; 1 for a singleton. */
            row_count: number;
            /** @description UTF-8 bytes of their JSON text. */
            bytes: number;
            /** @description What it costs to read every row once, in pages of 100. Of a one-time feed its price: once it is bought, reads are free. 0 if the provider lets the account read for nothing. */
            credits_to_read_all: number;
            _origin: components["schemas"]["Origin"];
        };
        /** @description An account that was granted access to a feed. */
        FeedReader: {
            /**
             * Format: uuid
             * @description Of the account that may read the feed.
             */
            account_id: string;
            /** @description Its name. */
            account_name: string;
            /** @description Whether reads cost the account nothing. */
            is_free: boolean;
            /**
             * Format: date-time
             * @description When the grant ends. Null: it does not.
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
        /** @description A page of the accounts that were granted access to a feed. */
        FeedReaders: {
            /** @description The newest come first. */
            readers: components["schemas"]["FeedReader"][];
            /** @description After capping. */
            limit: number;
            /** @description Whether there are older ones. */
            has_more: boolean;
            /** @description Pass it as `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /** @description One mistake in a body. */
        FieldError: {
            /** @description JSON Pointer (RFC 6901) into the body as sent. */
            path: string;
            /** @description What is wrong there. */
            message: string;
            /** @description Place of the pushed row, from 0. */
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
             * @description UUIDv7 of the entry in the usage log, committed before this answer was sent.
             */
            usage_id: string;
            /**
             * Format: date-time
             * @description When the call was admitted.
             */
            timestamp: string;
            /**
             * Format: uuid
             * @description The feed that was read; null where the call is about none.
             */
            feed_id: string | null;
            /** @description Credits of 0.000001 USD, exact to three decimals. */
            credits_charged: number;
        };
        /** @description A feed as its owner sees it, and what it holds. */
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
            /** @description As the provider named it. */
            category: string | null;
            /**
             * @description Null until a push decides it.
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
             * @description What is paid for: nothing, calls, or access.
             * @enum {string}
             */
            price_type: "free" | "metered" | "one_time";
            /** @description USD cents, paid once. */
            one_time_price_cents: number | null;
            /**
             * @description Who may read it: every account, those that the provider approves when they ask, or only those that it invites.
             * @enum {string}
             */
            access: "open" | "by_request" | "invited";
            /** @description Share of the last 30 days in which the data was as fresh as promised. */
            reliability_score: number | null;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Expected minutes between pushes. */
            sync_interval_mins: number | null;
            /** @description How often there is new data, in the provider's words. */
            update_frequency_text: string | null;
            storage_config: components["schemas"]["StorageConfig"];
            /** @description Set by the provider. */
            schema_version: number;
            /**
             * Format: date-time
             * @description When `schema_definition` last changed; null if it never did.
             */
            schema_changed_at: string | null;
            /** @description Whether pushes must meet the schema. */
            schema_locked: boolean;
            /**
             * @description Only active feeds can be read.
             * @enum {string}
             */
            status: "draft" | "inactive" | "active";
            /** @description Who owns the feed. */
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
            /** @description Streams only: events whose `event_timestamp` is so many days old are no longer read, and are removed. Null: they stay. */
            retention_days: number | null;
            /** @description Set by the operator after review. */
            is_public: boolean;
            /**
             * @description Whether the operator has been asked to list the feed, and what the answer was.
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
            /** @description Rows that readers see; 1 for a singleton. */
            row_count: number;
            /** @description The newest push of 90 days that was refused. */
            last_refusal: {
                /** @description Of the push. */
                push_id: number;
                /**
                 * Format: date-time
                 * @description When it came.
                 */
                pushed_at: string;
                /** @description Of the problem. */
                code: string;
                /** @description Of the problem. */
                detail: string;
            } | null;
            /** @description Logged reads of 30 days, today included; at most a minute late. */
            reads: number;
            /** @description Distinct accounts that read or bought in these days. */
            readers: number;
            /** @description What these days earned, less refunds and the fee. */
            net_usd: number;
            /** @description Batches that wait for `batch_complete`, newest first, at most 20. */
            open_batches: {
                /** @description As given. */
                batch_id: string;
                /** @description Rows that it has so far. */
                rows: number;
                /**
                 * Format: date-time
                 * @description Its first push.
                 */
                begun_at: string;
                /**
                 * Format: date-time
                 * @description When it is closed if nobody pushes to it; null for a first batch, which readers see.
                 */
                closes_at: string | null;
            }[];
            /** @description Why the operator has suspended it; absent if the feed is not suspended. */
            suspension_reason?: string;
        };
        /** @description A page of an account's own feeds. */
        OwnFeeds: {
            /** @description The newest come first. */
            feeds: components["schemas"]["OwnFeed"][];
            /** @description Feeds of the account. */
            total: number;
            /** @description Items asked for, after capping. */
            limit: number;
            /** @description Items skipped. */
            offset: number;
            /** @description Whether there are items behind this page. */
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
             * @description Stable; decide by it.
             * @enum {string}
             */
            code: "INVALID_REQUEST" | "QUERY_REQUIRED" | "INVALID_PARAMETER" | "OPERATOR_DISABLED" | "JSONPATH_INVALID" | "JSONPATH_FILTER_DISABLED" | "CURSOR_INVALID" | "NOT_A_STREAM" | "BODY_NOT_JSON" | "SIGNATURE_INVALID" | "PAYMENT_INVALID" | "RANGE_INVALID" | "KEY_REQUIRED" | "KEY_INVALID" | "INSUFFICIENT_CREDITS" | "PURCHASE_REQUIRED" | "PRICE_ABOVE_MAX" | "PAYMENT_REQUIRED" | "PAYMENT_REFUSED" | "KEY_BUDGET_SPENT" | "ORIGIN_FORBIDDEN" | "KEY_PERMISSION" | "KEY_SCOPE" | "ACCESS_REQUIRED" | "ACCOUNT_SUSPENDED" | "FEED_SUSPENDED" | "FEED_FORBIDDEN" | "FEED_QUOTA_EXCEEDED" | "TOPUP_LIMIT" | "ADMIN_KEY_BY_COMMAND" | "OWNER_REQUIRED" | "NOTICE_TYPE_FORBIDDEN" | "ROUTE_NOT_FOUND" | "FEED_NOT_FOUND" | "FEED_NOT_SYNCED" | "ACCOUNT_NOT_FOUND" | "KEY_NOT_FOUND" | "PERSON_NOT_FOUND" | "MEMBER_NOT_FOUND" | "READER_NOT_FOUND" | "ACCESS_REQUEST_NOT_FOUND" | "INVITATION_NOT_FOUND" | "PROMOTION_NOT_FOUND" | "USAGE_NOT_FOUND" | "PURCHASE_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "TOPUP_NOT_FOUND" | "PAYOUT_NOT_FOUND" | "TOPUPS_OFF" | "METHOD_NOT_ALLOWED" | "ENDPOINT_PATH_TAKEN" | "FEED_NEVER_PUSHED" | "ACCESS_REQUESTED" | "ACCESS_NOT_NEEDED" | "ACCESS_ANSWERED" | "FEED_NOT_FOR_SALE" | "PAYMENT_TAKEN" | "FEED_TYPE_LOCKED" | "SCHEMA_BREAKING" | "IMPORT_RUNNING" | "BATCH_CLOSED" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_KEY_STALE" | "IDEMPOTENCY_KEY_ANSWERED" | "IDEMPOTENCY_KEY_UNFINISHED" | "REFERENCE_AMBIGUOUS" | "REFERENCE_TAKEN" | "BALANCE_TOO_LARGE" | "BALANCE_TOO_LOW" | "PROMOTION_TAKEN" | "PROMOTION_REDEEMED" | "PROMOTION_EXPIRED" | "PROMOTION_EXHAUSTED" | "PURCHASE_EXISTS" | "NOTHING_CHARGED" | "PAYOUT_ABOVE_OWED" | "ACCOUNT_CLOSED" | "ACCOUNT_OWED" | "LAST_OWNER" | "MEMBER_EXISTS" | "INVITATIONS_LIMIT" | "KEYS_LIMIT" | "WEBHOOKS_LIMIT" | "KEY_NOT_USABLE" | "FEED_LISTED" | "FEED_DELETED" | "CURSOR_EXPIRED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "VALIDATION_FAILED" | "SCHEMA_REQUIRED" | "SCHEMA_INVALID" | "PRICING_INVALID" | "ADDRESS_INVALID" | "WEBHOOK_URL_INVALID" | "KEY_NOT_FOR_READING" | "RATE_LIMITED" | "TOO_MANY_WAITS" | "INTERNAL" | "REPORT_TOO_LONG" | "UNAVAILABLE";
            /** @description The same as `X-Request-Id`. */
            request_id: string;
            /** @description 400: the parameter or header that the mistake is in. */
            parameter?: string;
            /** @description 429 and 503: how long to wait. */
            retry_after_ms?: number;
            /**
             * @description 413: which limit was passed.
             * @enum {string}
             */
            limit?: "singleton_body" | "request_body" | "row_count" | "row_payload" | "import_body";
            /** @description 413: the limit in bytes. */
            max_bytes?: number;
            /** @description 413: the limit in rows. */
            max_rows?: number;
            /** @description 413: place of the first row too large, from 0. */
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
            /** @description 402: what the account has left. */
            balance?: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description 402: the most that `Feedgate-Max-Credits` or `max_credits` lets it cost. */
            max_credits?: number;
            /** @description 402: what the key may spend in a UTC day. */
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
            /** @description 402: why a payment is refused, in x402's words; 403: why it is suspended. */
            reason?: string;
            /** @description 402: the version of x402, which is 2. */
            x402Version?: number;
            /** @description 402: why, in x402's words. */
            error?: string;
            /** @description 402: what the payment is for. */
            resource?: {
                /**
                 * Format: uri
                 * @description What the payment is for.
                 */
                url: string;
                /** @description The same in words. */
                description: string;
                /** @description Of the answer. */
                mimeType: string;
            };
            /** @description 402: payments that are accepted. */
            accepts?: {
                /** @description `exact` */
                scheme: string;
                /** @description CAIP-2 id of the chain. */
                network: string;
                /** @description Millionths of a dollar. */
                amount: string;
                /** @description The token's contract. */
                asset: string;
                /** @description Who is paid. */
                payTo: string;
                /** @description How long an authorization may be valid. */
                maxTimeoutSeconds: number;
                /** @description What the scheme needs. */
                extra: {
                    /** @description Of the token, for the signature. */
                    name: string;
                    /** @description Of the token, for the signature. */
                    version: string;
                    /** @description `eip3009` */
                    assetTransferMethod: string;
                    /** @description Send it back as it is. It holds for 15 minutes. */
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
             * @description 402: until when a refused payment is granted if it comes in.
             */
            expires_at?: string;
            /** @description 403: where the account asks for access to the feed. */
            request_path?: string;
            /**
             * Format: date-time
             * @description 409: when the account may ask again. Null while a request waits for its answer.
             */
            retry_at?: string | null;
            /** @description 409: what the schema's readers would meet. */
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
            /** @description 422: the first mistakes. */
            errors?: components["schemas"]["FieldError"][];
            /** @description 422: all mistakes. */
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
             * @description What was bought.
             */
            feed_id: string;
            /**
             * Format: uuid
             * @description Who bought it.
             */
            account_id: string;
            /**
             * Format: date-time
             * @description When it was bought.
             */
            purchased_at: string;
            /** @description What it cost at that moment. */
            price: {
                /** @description Exact to three decimals. */
                credits: number;
                /** @description Exact to nine decimals. */
                usd: number;
            };
            /** @description The feed's slug; null once it is deleted and free. */
            endpoint_path: string | null;
            /**
             * @description The balance, or a payment that the operator has recorded.
             * @enum {string}
             */
            paid_from: "balance" | "elsewhere";
        };
        /** @description A page of what the account has bought. */
        Purchases: {
            /** @description The newest come first. Those that were undone are not among them. */
            purchases: components["schemas"]["Purchase"][];
            /** @description Items asked for, after capping. */
            limit: number;
            /** @description Whether there are items behind this page. */
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
             * @description As it is, or as this push decided it.
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
            /** @description Rows that are new. */
            rows_inserted: number;
            /** @description Rows that replaced one of the same id. */
            rows_updated: number;
            /** @description Rows that a stream had already, or of a batch that came once more: skipped. */
            rows_duplicate: number;
            /** @description What happened to each row, in the order of the push. */
            row_outcomes: ("inserted" | "updated" | "duplicate")[];
            /** @description As given. */
            batch_id: string | null;
            /** @description Whether the batch was swapped in. */
            batch_complete: boolean;
            /** @description Whether readers see these rows now. */
            is_visible: boolean;
            /** @description What is to be done so that readers see them. */
            detail?: string;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Moves when what readers see changes. */
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
            /** @description Who is invited: the account of whoever proves this e-mail address. */
            address: string;
            /** @description Whether reads cost the account nothing. */
            is_free: boolean;
            /**
             * Format: date-time
             * @description When the grant ends. Null: it does not.
             */
            expires_at: string | null;
            /** @description The provider's note. */
            note: string | null;
            /**
             * Format: date-time
             * @description When the invitation ends, if nobody takes it up.
             */
            ends_at: string;
        };
        /** @description The addresses that are invited to read a feed. */
        ReaderInvitations: {
            /** @description Those that can be taken up, the oldest first. */
            invitations: components["schemas"]["ReaderInvitation"][];
        };
        /** @description A delivery that is sent again. */
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
        /** @description A feed that was found. */
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
             * @description How the data is read: the same.
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
            /** @description Empty where the provider gives none. */
            description: string;
            /** @description `uncategorized` where the provider gives none. */
            category: string;
            /** @description `free`, `$0.001 per 1,000 calls` or `$5.00 one-time`. */
            pricing: string;
            /**
             * @description What is paid for: nothing, calls, or access.
             * @enum {string}
             */
            price_type: "free" | "metered" | "one_time";
            /** @description USD cents, paid once. */
            one_time_price_cents: number | null;
            /** @description USD per 1,000 calls; 0 where calls cost nothing. */
            price_per_1k: number;
            /** @description Percent; null while unrated. */
            reliability_score: number | null;
            /** @description How often there is new data, in the provider's words. */
            update_frequency_text: string | null;
        };
        /** @description A page of what was found. */
        SearchResults: {
            /** @description What was looked for. */
            query: string;
            /** @description Feeds found in all. */
            total: number;
            /** @description Items asked for, after capping. */
            limit: number;
            /** @description Items skipped. */
            offset: number;
            /** @description Whether there are items behind this page. */
            has_more: boolean;
            /** @description The best match comes first. */
            results: components["schemas"]["SearchHit"][];
            /** @description Where the asked `category` has no hit: the categories that have, best first. */
            categories?: string[];
            _origin: components["schemas"]["Origin"];
        };
        /** @description The guardrails of a push; the last two are null for singletons. */
        StorageConfig: {
            /** @description Bytes of one push. */
            max_body_bytes: number;
            /** @description Bytes of one row. */
            max_row_bytes: number | null;
            /** @description Rows of one push. */
            max_rows: number | null;
        };
        /** @description A test on its way. */
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
            /** @description The newest come first. */
            usage: components["schemas"]["UsageEvent"][];
            /** @description Items asked for, after capping. */
            limit: number;
            /** @description Whether there are items behind this page. */
            has_more: boolean;
            /** @description Pass it as `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /** @description A logged call. */
        UsageEvent: {
            /**
             * Format: uuid
             * @description The same as in the answer's `_origin`.
             */
            usage_id: string;
            /**
             * Format: date-time
             * @description When the call was admitted.
             */
            timestamp: string;
            /**
             * @description What was read, or that a feed was bought.
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
             * @description The key that the call came with.
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
            /** @description The only feeds, if it names any. */
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
            /** @description The newest first. */
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description Items asked for, after capping. */
            limit: number;
            /** @description Items skipped. */
            offset: number;
            /** @description Whether there are items behind this page. */
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
             * @description When it was due first.
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
            /** @description Status of the last answer. */
            code: number | null;
            /** @description How long the last attempt took. */
            ms: number | null;
            /** @description The first 1,024 bytes of the last answer. */
            answer: string | null;
            /** @description What went wrong, if it failed. */
            error: string | null;
        };
        /** @description The webhooks that the key may see. */
        Webhooks: {
            /** @description The oldest first. */
            webhooks: components["schemas"]["Webhook"][];
        };
        /** @description The full row of the feed that was written, with the state of the quota and warnings. */
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
            /** @description As the provider named it. */
            category: string | null;
            /**
             * @description Null until a push decides it.
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
             * @description What is paid for: nothing, calls, or access.
             * @enum {string}
             */
            price_type: "free" | "metered" | "one_time";
            /** @description USD cents, paid once. */
            one_time_price_cents: number | null;
            /**
             * @description Who may read it: every account, those that the provider approves when they ask, or only those that it invites.
             * @enum {string}
             */
            access: "open" | "by_request" | "invited";
            /** @description Share of the last 30 days in which the data was as fresh as promised. */
            reliability_score: number | null;
            /**
             * Format: date-time
             * @description The newest successful push.
             */
            last_sync_at: string | null;
            /** @description Expected minutes between pushes. */
            sync_interval_mins: number | null;
            /** @description How often there is new data, in the provider's words. */
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
            /** @description Whether pushes must meet the schema. */
            schema_locked: boolean;
            /** @description An example payload, as the provider wrote it. */
            sample_response: unknown;
            /**
             * @description Only active feeds can be read.
             * @enum {string}
             */
            status: "draft" | "inactive" | "active";
            /** @description Who owns the feed. */
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
            /** @description Streams only: events whose `event_timestamp` is so many days old are no longer read, and are removed. Null: they stay. */
            retention_days: number | null;
            /** @description Set by the operator after review. */
            is_public: boolean;
            /**
             * @description Whether the operator has been asked to list the feed, and what the answer was.
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
            /** @description What is sound and hardly meant, a sentence each: about schema, sample, and the newest rows. */
            warnings: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
