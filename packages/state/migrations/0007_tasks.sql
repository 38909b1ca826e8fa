CREATE TABLE `lost_secrets` (
	`repo_id` integer PRIMARY KEY NOT NULL,
	`keys_mark` text NOT NULL,
	`since` integer NOT NULL,
	`etag` text,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `repo_watch` (
	`repo_id` integer PRIMARY KEY NOT NULL,
	`rebuilt_at` integer,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `tasks` (
	`repo_id` integer NOT NULL,
	`kind` text NOT NULL,
	`number` integer NOT NULL,
	`created_at` integer NOT NULL,
	`done_at` integer,
	PRIMARY KEY(`repo_id`, `kind`, `number`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `tasks` (`repo_id`, `kind`, `number`, `created_at`)
SELECT `repo_id`, 'promote_merged', CAST(substr(`feed`, 8) AS integer), `updated_at`
FROM `poll_cursors` WHERE `feed` GLOB 'merged/*';
--> statement-breakpoint
INSERT INTO `tasks` (`repo_id`, `kind`, `number`, `created_at`, `done_at`)
SELECT
	`repo_id`,
	'recall_issue',
	CAST(substr(`feed`, 8) AS integer),
	`updated_at`,
	CASE WHEN `cursor` IS NULL THEN `updated_at` END
FROM `poll_cursors` WHERE `feed` GLOB 'recall/*';
--> statement-breakpoint
INSERT INTO `tasks` (`repo_id`, `kind`, `number`, `created_at`)
SELECT `repo_id`, 'catch_up', 0, `updated_at` FROM `poll_cursors` WHERE `feed` = 'catch_up';
--> statement-breakpoint
INSERT INTO `lost_secrets` (`repo_id`, `keys_mark`, `since`, `etag`)
SELECT
	`repo_id`,
	substr(`cursor`, 1, instr(`cursor`, ' ') - 1),
	coalesce(CAST(strftime('%s', substr(`cursor`, instr(`cursor`, ' ') + 1)) AS integer) * 1000, `updated_at`),
	`etag`
FROM `poll_cursors` WHERE `feed` = 'secret_lost' AND `cursor` LIKE '% %';
--> statement-breakpoint
INSERT INTO `repo_watch` (`repo_id`, `rebuilt_at`)
SELECT `repo_id`, CAST(`cursor` AS integer) FROM `poll_cursors` WHERE `feed` = 'rebuilt' AND `cursor` IS NOT NULL;
--> statement-breakpoint
DELETE FROM `poll_cursors`
WHERE `feed` IN ('catch_up', 'rebuilt', 'secret_lost') OR `feed` GLOB 'merged/*' OR `feed` GLOB 'recall/*';
