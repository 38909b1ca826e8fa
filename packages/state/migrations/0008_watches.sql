CREATE TABLE `issue_watch` (
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`seen_updated_at` text,
	`dependency_state` text,
	`dependency_checked_at` integer,
	PRIMARY KEY(`repo_id`, `issue_number`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `pull_watch` (
	`repo_id` integer NOT NULL,
	`pr_number` integer NOT NULL,
	`missing_head_sha` text,
	`missing_head_since` integer,
	`mergeable_head_sha` text,
	`mergeable_base_at` text,
	`checks_head_sha` text,
	`checks_updated_at` text,
	`checks_settled` integer DEFAULT false NOT NULL,
	`checks_since` integer,
	`checks_etag` text,
	`statuses_etag` text,
	`document_head_sha` text,
	PRIMARY KEY(`repo_id`, `pr_number`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `repo_watch` ADD `base_moved_at` text;--> statement-breakpoint
ALTER TABLE `repo_watch` ADD `reviews_swept_pr` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `repo_watch` ADD `checks_swept_pr` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `repo_watch` ADD `waiting_run_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `repo_watch` ADD `waiting_checked_at` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
INSERT INTO `repo_watch` (`repo_id`, `base_moved_at`)
SELECT
	`repo_id`,
	`cursor`
FROM `poll_cursors` WHERE `feed` = 'base_moved' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`) DO UPDATE SET
	`base_moved_at` = excluded.`base_moved_at`;
--> statement-breakpoint
INSERT INTO `repo_watch` (`repo_id`, `reviews_swept_pr`)
SELECT
	`repo_id`,
	CAST(`cursor` AS integer)
FROM `poll_cursors` WHERE `feed` = 'review_sweep' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`) DO UPDATE SET
	`reviews_swept_pr` = excluded.`reviews_swept_pr`;
--> statement-breakpoint
INSERT INTO `repo_watch` (`repo_id`, `checks_swept_pr`)
SELECT
	`repo_id`,
	CAST(`cursor` AS integer)
FROM `poll_cursors` WHERE `feed` = 'checks_sweep' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`) DO UPDATE SET
	`checks_swept_pr` = excluded.`checks_swept_pr`;
--> statement-breakpoint
INSERT INTO `repo_watch` (`repo_id`, `waiting_run_id`, `waiting_checked_at`)
SELECT
	`repo_id`,
	coalesce(CAST(json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[0]') AS integer), 0),
	coalesce(CAST(json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[1]') AS integer), 0)
FROM `poll_cursors` WHERE `feed` = 'waiting_look' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`) DO UPDATE SET
	`waiting_run_id` = excluded.`waiting_run_id`,
	`waiting_checked_at` = excluded.`waiting_checked_at`;
--> statement-breakpoint
INSERT INTO `pull_watch` (`repo_id`, `pr_number`, `missing_head_sha`, `missing_head_since`)
SELECT
	`repo_id`,
	CAST(substr(`feed`, 14) AS integer),
	json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[0]'),
	CAST(json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[1]') AS integer)
FROM `poll_cursors` WHERE `feed` GLOB 'missing_head/*' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`, `pr_number`) DO UPDATE SET
	`missing_head_sha` = excluded.`missing_head_sha`,
	`missing_head_since` = excluded.`missing_head_since`;
--> statement-breakpoint
INSERT INTO `pull_watch` (`repo_id`, `pr_number`, `mergeable_head_sha`, `mergeable_base_at`)
SELECT
	`repo_id`,
	CAST(substr(`feed`, 11) AS integer),
	json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[0]'),
	json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[1]')
FROM `poll_cursors` WHERE `feed` GLOB 'mergeable/*' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`, `pr_number`) DO UPDATE SET
	`mergeable_head_sha` = excluded.`mergeable_head_sha`,
	`mergeable_base_at` = excluded.`mergeable_base_at`;
--> statement-breakpoint
INSERT INTO `pull_watch` (`repo_id`, `pr_number`, `checks_head_sha`, `checks_updated_at`, `checks_settled`, `checks_since`, `checks_etag`, `statuses_etag`)
SELECT
	`repo_id`,
	CAST(substr(`feed`, 8) AS integer),
	json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[0]'),
	nullif(json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[1]'), 'null'),
	coalesce(json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[2]') = 'settled', 0),
	CAST(json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[3]') AS integer),
	CASE WHEN json_valid(`etag`) THEN json_extract(`etag`, '$[0]') END,
	CASE WHEN json_valid(`etag`) THEN json_extract(`etag`, '$[1]') END
FROM `poll_cursors` WHERE `feed` GLOB 'checks/*' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`, `pr_number`) DO UPDATE SET
	`checks_head_sha` = excluded.`checks_head_sha`,
	`checks_updated_at` = excluded.`checks_updated_at`,
	`checks_settled` = excluded.`checks_settled`,
	`checks_since` = excluded.`checks_since`,
	`checks_etag` = excluded.`checks_etag`,
	`statuses_etag` = excluded.`statuses_etag`;
--> statement-breakpoint
INSERT INTO `pull_watch` (`repo_id`, `pr_number`, `document_head_sha`)
SELECT
	`repo_id`,
	CAST(substr(`feed`, 10) AS integer),
	`cursor`
FROM `poll_cursors` WHERE `feed` GLOB 'document/*' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`, `pr_number`) DO UPDATE SET
	`document_head_sha` = excluded.`document_head_sha`;
--> statement-breakpoint
INSERT INTO `issue_watch` (`repo_id`, `issue_number`, `seen_updated_at`)
SELECT
	`repo_id`,
	CAST(substr(`feed`, 12) AS integer),
	`cursor`
FROM `poll_cursors` WHERE `feed` GLOB 'issue_seen/*' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`, `issue_number`) DO UPDATE SET
	`seen_updated_at` = excluded.`seen_updated_at`;
--> statement-breakpoint
INSERT INTO `issue_watch` (`repo_id`, `issue_number`, `dependency_state`, `dependency_checked_at`)
SELECT
	`repo_id`,
	CAST(substr(`feed`, 13) AS integer),
	json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[0]'),
	CAST(json_extract('["' || replace(`cursor`, ' ', '","') || '"]', '$[1]') AS integer)
FROM `poll_cursors` WHERE `feed` GLOB 'issue_state/*' AND `cursor` IS NOT NULL
ON CONFLICT (`repo_id`, `issue_number`) DO UPDATE SET
	`dependency_state` = excluded.`dependency_state`,
	`dependency_checked_at` = excluded.`dependency_checked_at`;
--> statement-breakpoint
DELETE FROM `poll_cursors`
WHERE `feed` IN ('base_moved', 'review_sweep', 'checks_sweep', 'waiting_look') OR `feed` GLOB '*/*';
